package dev.weir;

import dev.weir.WaitingOrders.Step;
import dev.weir.limit.Limit;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The queue behind a limit of concurrency under every interleaving of a few steps: when all is quiet, it looks as if the steps
 * had been taken one after another, in some order.
 *
 * <p>Not linearizable, by intent: who finds the drain at work leaves a note and returns, so a grant may come a moment after the
 * step that made it possible. Therefore it is the state at the end that is compared.
 */
public class WaitQueueModelTest {

    private static final int THOROUGHNESS = Integer.getInteger("lincheck.thoroughness", 1);

    private static final List<Set<String>> POSSIBLE = WaitingOrders.outcomes();

    private final PermitEngine limiter = limiter();
    private final Lease held = limiter.tryAcquire(1);
    private final Request first = new Request("first");
    private final Request second = new Request("second");
    private final Request third = new Request("third");

    private final Boolean[] answers = new Boolean[Step.values().length];

    public WaitQueueModelTest() {
        first.ask(limiter);
        second.ask(limiter);
    }

    private static PermitEngine limiter() {
        Settings settings = new Settings();
        settings.name("one of many");
        settings.timeSource(new ManualTime());
        return new PermitEngine(Terms.oneOfMany(settings, Limit.concurrency(1), (key, permits) -> {}), "key");
    }

    private void answer(Step step, boolean answer) {
        answers[step.number] = answer;
    }

    @Operation(runOnce = true)
    public void release() {
        held.close();
        answer(Step.RELEASE, true);
    }

    @Operation(runOnce = true)
    public void cancelFirst() {
        answer(Step.CANCEL_FIRST, first.cancel());
    }

    @Operation(runOnce = true)
    public void cancelSecond() {
        answer(Step.CANCEL_SECOND, second.cancel());
    }

    @Operation(runOnce = true)
    public void thirdArrives() {
        third.ask(limiter);
        answer(Step.THIRD_ARRIVES, true);
    }

    @Operation(runOnce = true)
    public void tryNow() {
        answer(Step.TRY, limiter.tryAcquire(1).isAcquired());
    }

    /** Called when all threads are done. */
    @Validate
    public void looksLikeSomeOrder() {
        int taken = 0;
        Map<Step, Boolean> answered = new EnumMap<>(Step.class);
        for (Step step : Step.values()) {
            if (answers[step.number] != null) {
                taken |= 1 << step.number;
                answered.put(step, answers[step.number]);
            }
        }
        List<String> waiting = names(Stream.of(first, second, third).filter(Request::isWaiting));
        List<String> granted = names(Stream.of(first, second, third).filter(Request::isGranted));
        String seen = WaitingOrders.seen(waiting, granted, answered, limiter.availablePermits() == 1);
        if (!POSSIBLE.get(taken).contains(seen)) {
            throw new IllegalStateException("No order of the steps leads to: " + seen);
        }
    }

    private static List<String> names(Stream<Request> requests) {
        return requests.map(request -> request.name).toList();
    }

    @Test
    @DisplayName("looks as if one had acted after another")
    void looksSequential() {
        new ModelCheckingOptions()
                .iterations(4 * THOROUGHNESS)
                .invocationsPerIteration(50 * THOROUGHNESS)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0)
                .check(WaitQueueModelTest.class);
    }

    /** Somebody who waits, and what became of it. */
    private static final class Request {

        final String name;
        private volatile PermitRequest request;
        private int grants;

        Request(String name) {
            this.name = name;
        }

        void ask(RateLimiter limiter) {
            request = limiter.acquire(1, lease -> grants += lease.isAcquired() ? 1 : 100);
        }

        boolean cancel() {
            return request.cancel();
        }

        boolean isWaiting() {
            return request != null && !request.isSettled();
        }

        boolean isGranted() {
            return grants == 1;
        }
    }
}
