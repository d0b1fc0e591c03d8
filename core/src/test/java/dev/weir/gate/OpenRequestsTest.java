package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The open requests of a stream, against a list of them. */
class OpenRequestsTest {

    private final RateLimiter limiter = RateLimiter.of(Limit.unlimited());
    private final OpenRequests<String> open = new OpenRequests<>();
    private final List<LaneRequest<String>> expected = new ArrayList<>();

    @Test
    @DisplayName(
            "are found from the newest to the oldest, whatever was taken out; and what was taken out keeps none that came later")
    void newestFirst() {
        for (long seed = 1; seed <= 100; seed++) {
            Random random = new Random(seed);
            List<LaneRequest<String>> removed = new ArrayList<>();
            for (int step = 0; step < 100; step++) {
                if (expected.isEmpty() || random.nextBoolean()) {
                    add();
                } else {
                    LaneRequest<String> leaving = expected.remove(random.nextInt(expected.size()));
                    open.remove(leaving);
                    removed.add(leaving);
                }
                assertThat(all()).as("seed %d, step %d", seed, step).isEqualTo(expected);
                assertThat(open.size()).isEqualTo(expected.size());
            }
            assertThat(removed)
                    .as("seed %d", seed)
                    .allSatisfy(request -> assertThat(request.newer).isNull());
        }
    }

    private void add() {
        LaneRequest<String> request = new LaneRequest<>(null, open, new FifoLane<>(limiter, 1), 1);
        open.add(request);
        expected.add(0, request);
    }

    private List<LaneRequest<String>> all() {
        List<LaneRequest<String>> all = new ArrayList<>();
        for (LaneRequest<String> request = open.newest(); request != null; request = request.older) {
            all.add(request);
        }
        return all;
    }
}
