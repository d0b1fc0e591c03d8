package dev.weir.samples.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GrantsTest {

    private static final long BEGIN = 1_700_000_000_000_000L;

    private final Grants grants = new Grants();

    @Test
    void whatIsReadTwiceIsThereOnce() {
        grants.read(kept(BEGIN, 5, BEGIN, 8));
        grants.read(kept(BEGIN + 10, 5, BEGIN, 8, BEGIN + 10, 9));

        assertThat(grants.nanos()).containsExactly(nanos(0), nanos(0), nanos(0), nanos(10));
    }

    @Test
    void whatWasGivenBackIsGone() {
        grants.read(kept(BEGIN, 0, BEGIN, 1, BEGIN + 250, 2));
        grants.read(kept(BEGIN + 20, 0, BEGIN + 20, 1));

        assertThat(grants.nanos()).containsExactly(nanos(20));
    }

    @Test
    void whatIsNoLongerKeptStays() {
        grants.read(kept(BEGIN, 0, BEGIN, 1));
        grants.read(kept(BEGIN + 1_000_000, 1, BEGIN + 1_000_000, 2));

        assertThat(grants.nanos()).containsExactly(nanos(0), nanos(1_000_000));
    }

    private static long nanos(long micros) {
        return (BEGIN + micros) * 1_000;
    }

    private static String kept(long writtenAt, long before, long... timesAndSums) {
        StringBuilder text = new StringBuilder("%016d%016d%016d".formatted(writtenAt, before, 0));
        for (int i = 0; i < timesAndSums.length; i += 2) {
            text.append("%016d%016d ".formatted(timesAndSums[i], timesAndSums[i + 1]));
        }
        return text.toString();
    }
}
