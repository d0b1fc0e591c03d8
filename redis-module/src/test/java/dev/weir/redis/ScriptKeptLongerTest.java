package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.TokenBucket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** For how long the server keeps a limit that does not begin full, and so begins with less if it is forgotten. */
class ScriptKeptLongerTest extends ScriptsOnAServer {

    private static final Duration DAY = Duration.ofDays(1);
    private static final TokenBucket BUCKET =
            Limit.tokenBucket(6, 3, Duration.ofHours(1)).startingWith(2);

    @Test
    @DisplayName("for a day after it is full, whichever way through the script has written it")
    void forADay() {
        for (Limit limit : List.of(BUCKET, BUCKET.refillingInSteps())) {
            for (Question question :
                    List.of(Questions.take(1), Questions.take(1).writing())) {
                host.flush();
                assertThat(host.ask(limit, question).granted()).isOne();
                String key = ScriptHost.keys(limit, "test").get(0);
                assertThat(host.jedis().pttl(key)).as("%s, %s", limit, question).isGreaterThan(DAY.toMillis());
            }
        }
    }
}
