package dev.weir.webflux;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;

class ServerAdviceTest {

    /** Sat, 21 Nov 2026 12:00:00 GMT. */
    private final Clock clock = Clock.fixed(Instant.parse("2026-11-21T12:00:00Z"), ZoneOffset.UTC);

    @ParameterizedTest(name = "{0}: {1}")
    @DisplayName("for how long to stay away")
    @CsvSource(
            quoteCharacter = '\'',
            value = {
                "429,'Retry-After: 7',7",
                "503,'Retry-After: 7',7",
                "429,'Retry-After: 0',0",
                "429,'Retry-After: Sat, 21 Nov 2026 12:00:30 GMT',30",
                "429,'Retry-After: Sat, 21 Nov 2026 12:00:30 GMT|Date: Sat, 21 Nov 2026 12:00:10 GMT',20",
                "429,'Retry-After: Sat, 21 Nov 2026 12:00:30 GMT|Date: nonsense',30",
                "503,'Retry-After: Sat, 21 Nov 2026 12:01:00 GMT|Date: Sat, 21 Nov 2026 12:00:00 GMT|Age: 50',10",
                "503,'Retry-After: Sat, 21 Nov 2026 12:01:00 GMT|Date: Sat, 21 Nov 2026 12:00:00 GMT|Age: nonsense',60",
                "503,'Retry-After: Sat, 21 Nov 2026 12:01:00 GMT|Age: 50',60",
                "429,'Retry-After: Saturday, 21-Nov-26 12:00:30 GMT',30",
                "429,'Retry-After: Sat Nov 21 12:00:30 2026',30",
                "503,'Retry-After: Tue Dec  1 12:00:00 2026|Date: Tuesday, 01-Dec-26 11:59:50 GMT',10",
                "429,'Retry-After: Sat, 21 Nov 2026 12:00:30 GMT|Date: Fri Dec 31 23:59:59 +999999999|Age: 99999999999',30",
                "429,'Retry-After: Friday, 20-Nov-76 12:00:00 GMT',1577836800",
                "429,'Retry-After: Saturday, 21-Nov-76 12:00:00 GMT',1577923200",
                "429,'Retry-After: 99999999999999999999999999',3153600000",
                "429,'Retry-After: 1.5',2",
                "503,'Retry-After: 0.001',1",
                "429,'Retry-After: 3.0',3",
                "429,'Retry-After: 5|Retry-After: 9|Retry-After: soon',9",
                "429,'Retry-After: 9|Retry-After: Sat, 21 Nov 2026 12:00:05 GMT',9",
                "200,'RateLimit: \"a\";r=0;t=9',9",
                "200,'RateLimit: \"a\";r=1;t=5, \"b\";r=0;t=9, \"c\";r=0;t=4',9",
                "429,'RateLimit: \"a\";r=0;t=9|Retry-After: 3',3",
                "429,'RateLimit: \"a\";r=0;t=9',9",
                "429,'RateLimit: \"a\";r=0;t=9|Retry-After: Sat, 21 Nov 2026 12:00:00 GMT',9",
                "429,'Retry-After: 000000000000000007',7",
                "200,'X-RateLimit-Remaining: 0|X-RateLimit-Reset: 999999999',999999999",
                "200,'X-RateLimit-Remaining: 0|X-RateLimit-Reset: 999999999999',3153600000",
                "200,'X-RateLimit-Remaining: 0|X-RateLimit-Reset: 12',12",
                "200,'X-RateLimit-Remaining: 0|X-RateLimit-Reset: 1795262460',60",
                "200,'X-RateLimit-Remaining: 0|X-RateLimit-Reset: 1795262459001',60",
                "200,'X-RateLimit-Remaining: 0|X-RateLimit-Reset: 999999999999999999999',3153600000",
                "429,'Retry-After: 99999999999999999999999999.5',3153600000",
                "200,'X-RateLimit-Remaining: 0|X-RateLimit-Reset: 1.5',2",
                "200,'X-RateLimit-Remaining: 0|X-RateLimit-Reset: 2.0',2",
                "200,'X-RateLimit-Remaining: 0|X-RateLimit-Reset: 1795262459.123',60",
                "200,'X-RateLimit-Remaining: 0|X-RateLimit-Reset: 1795262460000.1',61",
                "200,'X-RateLimit-Remaining: 0|X-RateLimit-Reset: 999999999999999999999.5',3153600000",
                "200,'RateLimit-Limit: 5|RateLimit-Remaining: 0|RateLimit-Reset: 12',12",
                "200,'RateLimit-Remaining: 0|RateLimit-Reset: 0.001',1",
                "200,'RateLimit: limit=100, remaining=0, reset=1.5',2",
                "200,'RateLimit-Remaining: 0|RateLimit-Reset: 12|X-RateLimit-Remaining: 0|X-RateLimit-Reset: 13',13",
                "200,'RateLimit: limit=100, remaining=0, reset=5',5",
                "200,'RateLimit: reset=5,remaining=0;a=1, limit=100;w=60',5",
                "200,'RateLimit: limit=100, remaining=0|RateLimit: reset=5',5"
            })
    void pauses(int status, String fields, long seconds) {
        assertThat(of(status, fields).pause()).contains(ofSeconds(seconds));
    }

    @ParameterizedTest(name = "{0}")
    @DisplayName("nothing, or nothing that can be understood")
    @ValueSource(
            strings = {
                "429|",
                "200|Retry-After: 7",
                "301|Retry-After: 7",
                "429|Retry-After: -7",
                "429|Retry-After: 7s",
                "429|Retry-After: 1.5.2",
                "429|Retry-After: .5",
                "429|Retry-After: ",
                "429|Retry-After: tomorrow",
                "429|Retry-After: Sat, 21 Nov 2026 11:59:00 GMT",
                "429|Retry-After: Saturday, 21-Nov-26 11:59:00 GMT",
                "503|Retry-After: Sat, 21 Nov 2026 12:01:00 GMT|Date: Sat, 21 Nov 2026 12:00:00 GMT|Age: 70",
                "503|Retry-After: Sat, 21 Nov 2026 12:01:00 GMT|Date: Sat, 21 Nov 2026 12:00:00 GMT|Age: 99999999999999999999",
                "429|Retry-After: Sunday, 22-Nov-76 12:00:00 GMT",
                "429|Retry-After: Sunday, 06-Nov-94 08:49:37 GMT",
                "429|Retry-After: Saturday, 21-Nov-26 12:00:30 CET",
                "429|Retry-After: Sat Nov 21 12:00:30 2026 GMT",
                "429|Retry-After: Fri Dec 31 23:59:59 +999999999",
                "200|RateLimit: \"a\";r=0",
                "200|RateLimit: \"a\";r=1;t=9",
                "200|RateLimit: \"a\";r=0;t=-9",
                "200|RateLimit: limit=100, remaining=1, reset=5",
                "200|RateLimit: limit=100, remaining=05, reset=5",
                "200|RateLimit: limit=100, unremaining=0, reset=5",
                "200|RateLimit: limit=100, remaining=0",
                "200|RateLimit-Remaining: 3|RateLimit-Reset: 12",
                "200|RateLimit-Remaining: 0",
                "200|X-RateLimit-Remaining: 1|X-RateLimit-Reset: 12",
                "200|X-RateLimit-Remaining: 0",
                "200|X-RateLimit-Remaining: 0|X-RateLimit-Reset: 2026-11-21T12:00:00Z",
                "200|X-RateLimit-Remaining: 0|X-RateLimit-Reset: 1.5.2",
                "200|X-RateLimit-Remaining: 0|X-RateLimit-Reset: .5",
                "200|X-RateLimit-Remaining: 0|X-RateLimit-Reset: -1.5",
                "200|X-RateLimit-Remaining: 0|X-RateLimit-Reset: 1000000000",
                "200|X-RateLimit-Remaining: 0|X-RateLimit-Reset: 1000000000000",
                "200|X-RateLimit-Remaining: 0|X-RateLimit-Reset: 1700000000"
            })
    void noPause(String given) {
        int status = Integer.parseInt(given.substring(0, 3));
        assertThat(of(status, given.substring(4)).pause()).isEmpty();
    }

    @Test
    @DisplayName("quotas of requests with a window are policies, in one line or several")
    void policies() {
        assertThat(of(
                                200,
                                "RateLimit-Policy: \"a\";q=100;w=60, \"b\";q=9;w=1;qu=\"content-bytes\"|"
                                        + "RateLimit-Policy: \"c\";q=5;w=2;qu=\"requests\", \"d\";q=5, "
                                        + "\"e\";q=0;w=1, \"f\";q=99999999999;w=1")
                        .policies())
                .containsExactly(
                        new QuotaPolicy(100, 60, false),
                        new QuotaPolicy(5, 2, false),
                        new QuotaPolicy(Integer.MAX_VALUE, 1, false));
        assertThat(of(200, "RateLimit-Policy: \"a\";q=100;w=60, broken;").policies())
                .isEmpty();
    }

    @Test
    @DisplayName("a response from a cache tells nothing of quotas, which are of another time")
    void fromCache() {
        String fields = "RateLimit: \"a\";r=0;t=9|RateLimit-Policy: \"a\";q=5;w=1|Age: ";
        assertThat(of(200, fields + "7")).isEqualTo(new ServerAdvice(Optional.empty(), List.of()));
        assertThat(of(200, "X-RateLimit-Remaining: 0|X-RateLimit-Reset: 12|Age: 7")
                        .pause())
                .isEmpty();
        assertThat(of(503, fields + "7|Retry-After: 3").pause()).contains(ofSeconds(3));
        for (String notFromCache : List.of("0", "00", "nonsense")) {
            assertThat(of(200, fields + notFromCache).pause()).contains(ofSeconds(9));
        }
    }

    private ServerAdvice of(int status, String fields) {
        HttpHeaders headers = new HttpHeaders();
        for (String field : fields.split("\\|", -1)) {
            int colon = field.indexOf(": ");
            if (colon > 0) {
                headers.add(field.substring(0, colon), field.substring(colon + 2));
            }
        }
        return ServerAdvice.of(status, headers, clock);
    }
}
