package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MomentsTest {

    @ParameterizedTest
    @ValueSource(longs = {0, -5, Long.MAX_VALUE - 5, Long.MIN_VALUE})
    @DisplayName(
            "covers all times from the first to the last, in whatever order they came, also across the end of the clock's range")
    void covers(long origin) {
        Moments moments = Moments.with(Moments.with(Moments.with(null, origin + 7), origin + 10), origin + 3);
        for (int nanos = 0; nanos <= 12; nanos++) {
            assertThat(Moments.cover(moments, origin + nanos)).as("%d", nanos).isEqualTo(nanos >= 3 && nanos <= 10);
        }
        assertThat(Moments.cover(null, origin)).isFalse();
    }
}
