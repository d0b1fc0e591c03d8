package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DenialTest {

    private static final long AT = -5;

    private static Denial denied(long waitNanos) {
        return new Denial(3, waitNanos, false, AT);
    }

    @Test
    @DisplayName(
            "a request waits as long as the one denied, a smaller one not at all, and until a poll where the store could not say")
    void waits() {
        assertThat(denied(10).nanosLeft(3, AT + 4)).isEqualTo(6);
        assertThat(denied(10).nanosUntilPoll(4, AT + 4, 7)).isEqualTo(6);
        assertThat(denied(10).nanosLeft(3, AT + 11)).isZero();
        assertThat(denied(10).nanosLeft(2, AT)).isZero();
        assertThat(denied(Answer.UNKNOWN).nanosUntilPoll(3, AT + 4, 7)).isEqualTo(3);
        assertThat(denied(Answer.UNKNOWN).nanosUntilPoll(3, AT + 8, 7)).isZero();
        assertThat(Denial.NONE.nanosUntilPoll(3, AT, 7)).isZero();
    }

    @Test
    @DisplayName(
            "where the store could not say no wait is known, also to a caller whose clock reading predates the answer")
    void unknown() {
        assertThat(denied(Answer.UNKNOWN).nanosLeft(3, AT + 1)).isZero();
        assertThat(denied(Answer.UNKNOWN).nanosLeft(3, AT - 1)).isZero();
        assertThat(denied(Answer.UNKNOWN).nanosLeftExactly(3, AT - 1)).isZero();
    }
}
