package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limit.Limit;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class KeysTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static List<String> keys(String tag, Limit limit) {
        return new Keys("weir").of(tag, Member.of(limit, MINUTE));
    }

    @Test
    @DisplayName("prefix, version, tag and kind; several members of one limit on one node")
    void names() {
        assertThat(keys(Keys.tag("search-api"), Limit.of(1, MINUTE))).containsExactly("weir:v1:{search-api}:log");
        assertThat(keys(Keys.tag("per-user", "ann"), Limit.allOf(Limit.of(1, MINUTE), Limit.tokenBucket(1, 1, MINUTE))))
                .containsExactly("weir:v1:{per-user:ann}:log", "weir:v1:{per-user:ann}:bucket1");
    }

    @Test
    @DisplayName("no name is another's, whatever is in it")
    void noNameIsAnothers() {
        assertThat(Keys.tag("a:b", "c")).isNotEqualTo(Keys.tag("a", "b:c"));
        assertThat(Keys.tag("a:b")).isNotEqualTo(Keys.tag("a", "b"));
        assertThat(Keys.overflowTag("a")).isNotEqualTo(Keys.tag("a")).isNotEqualTo(Keys.tag("a%"));
        assertThat(Keys.overflowTag("a")).isNotEqualTo(Keys.overflowTag("b"));
        assertThat(Keys.overflowTag("a".repeat(64))).isNotEqualTo(Keys.tag("a".repeat(64)));
        assertThat(Keys.tag("a", "}{")).doesNotContain("{").doesNotContain("}");
        assertThat(Keys.tag("a", "}")).isNotEqualTo(Keys.tag("a", "%7D"));
    }

    @Test
    @DisplayName(
            "names that are no text, as half of a character is missing, share no key either; whole characters stay as they are")
    void halfCharacters() {
        List<String> names =
                List.of("o\ud800", "o\ud801", "o\udc00", "o\udc00\ud800", "o?", "o%ud800", "o\ud83d\ude00", "o\ud83d");
        assertThat(names.stream().map(Keys::tag).map(KeysTest::bytes)).doesNotHaveDuplicates();
        assertThat(names.stream().map(name -> Keys.tag("n", name)).map(KeysTest::bytes))
                .doesNotHaveDuplicates();
        String longer = "o".repeat(100);
        assertThat(names.stream().map(name -> Keys.tag(longer + name))).doesNotHaveDuplicates();
        assertThat(Keys.tag("\ud83d\ude00")).isEqualTo("\ud83d\ude00");
    }

    /** What goes over the wire. */
    private static String bytes(String tag) {
        return HexFormat.of().formatHex(tag.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    @DisplayName("long names are hashed")
    void longNames() {
        String tag = Keys.tag("per-user", "x".repeat(1000));
        assertThat(tag.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(64);
        assertThat(tag).isNotEqualTo(Keys.tag("per-user", "x".repeat(1001)));
        assertThat(Keys.tag("n", "ä".repeat(40)).getBytes(StandardCharsets.UTF_8))
                .hasSizeLessThanOrEqualTo(64);
    }

    @Test
    @DisplayName("a name there must be, and a prefix without braces")
    void misuse() {
        assertThatThrownBy(() -> Keys.tag("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RedisOptions.defaults().keyPrefix("{a}")).isInstanceOf(IllegalArgumentException.class);
    }
}
