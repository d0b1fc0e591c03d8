package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindowCounter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What counts for which part of a limit of several parts, and what is told of all of them together. */
class ScriptSeveralLimitsTest extends ScriptsOnAServer {

    private static final Duration PERIOD = Duration.ofMinutes(10);

    /** Ten permits in a period, three requests in two. */
    private static final Limit PERMITS_AND_CALLS = Limit.allOf(
            Limit.of(10, PERIOD), Limit.of(3, PERIOD.multipliedBy(2)).countingCalls());

    @Test
    @DisplayName("nothing is available once as many requests were made as may be, whatever there is of permits")
    void noMoreRequests() {
        for (int request = 0; request < 3; request++) {
            assertThat(ask(PERMITS_AND_CALLS, Questions.look(), BEGIN).available())
                    .isEqualTo(10 - request);
            ask(PERMITS_AND_CALLS, Questions.take(1), BEGIN);
        }
        Answer after = ask(PERMITS_AND_CALLS, Questions.look(), BEGIN);
        assertThat(after.available()).isZero();
        assertThat(after.nextNanos()).isEqualTo(PERIOD.multipliedBy(2).toNanos());
    }

    @Test
    @DisplayName("the largest request is for as many permits as there may be, however few requests")
    void largestRequest() {
        Answer taken = ask(PERMITS_AND_CALLS, Questions.take(5), BEGIN);
        assertThat(taken.nextNanos()).isEqualTo(PERIOD.toNanos());
        assertThat(taken.largestNanos()).isEqualTo(PERIOD.toNanos());
        host.flush();
        Limit calls = Limit.of(3, PERIOD).countingCalls();
        ask(calls, Questions.take(3), BEGIN);
        assertThat(ask(calls, Questions.look(), BEGIN).largestNanos()).isZero();
    }

    @Test
    @DisplayName("a charge is of permits, and none of requests; what is owed of each part is charged to that part")
    void charges() {
        Limit calls = Limit.of(3, PERIOD).countingCalls();
        assertThat(ask(calls, Questions.charge(5), BEGIN).available()).isEqualTo(3);
        host.flush();
        assertThat(ask(PERMITS_AND_CALLS, Questions.charge(6), BEGIN).available())
                .isEqualTo(4);
        Question owing = new Question(Wanted.NOTHING, Owed.ofParts(List.of(1L, 2L)), List.of(), List.of(), 0, 0, false);
        assertThat(ask(PERMITS_AND_CALLS, owing, BEGIN).available()).isEqualTo(3);
        assertThat(ask(PERMITS_AND_CALLS, Questions.take(1), BEGIN).granted()).isEqualTo(1);
        assertThat(ask(PERMITS_AND_CALLS, Questions.take(1), BEGIN).granted()).isZero();
    }

    @Test
    @DisplayName("a request that is settled for less gives back permits, and stays a request")
    void settledForLess() {
        for (int request = 0; request < 3; request++) {
            assertThat(ask(PERMITS_AND_CALLS, Questions.take(4), BEGIN).granted())
                    .isEqualTo(4);
            ask(PERMITS_AND_CALLS, Questions.undo(Slot.taken(3, BEGIN * 1_000, true)), BEGIN);
        }
        assertThat(ask(PERMITS_AND_CALLS, Questions.look(), BEGIN).available()).isZero();
        ask(PERMITS_AND_CALLS, Questions.undo(Slot.taken(1, BEGIN * 1_000, false)), BEGIN);
        assertThat(ask(PERMITS_AND_CALLS, Questions.look(), BEGIN).available()).isEqualTo(8);
    }

    @Test
    @DisplayName("nobody knows when all is as good as new while a lease of one of the parts is out")
    void fullWithALease() {
        Limit limit = Limit.allOf(Limit.concurrency(2), Limit.of(4, PERIOD));
        assertThat(ask(limit, Questions.hold(0, 1), BEGIN).granted()).isEqualTo(1);
        assertThat(ask(limit, Questions.hold(1, 0), BEGIN).fullNanos()).isEqualTo(Answer.UNKNOWN);
        assertThat(ask(limit, Questions.hold(0, 0), BEGIN).fullNanos()).isEqualTo(PERIOD.toNanos());
    }

    @Test
    @DisplayName("the first of those that wait is booked for whatever time, the others as far ahead as was asked for")
    void bookedAhead() {
        for (Limit limit : List.of(
                Limit.of(2, PERIOD),
                Limit.fixedWindow(2, PERIOD),
                Limit.slidingWindowCounter(2, PERIOD),
                Limit.allOf(Limit.of(2, PERIOD), Limit.of(100, PERIOD)),
                Limit.allOf(Limit.fixedWindow(2, PERIOD), Limit.of(100, PERIOD)))) {
            host.flush();
            ask(limit, Questions.take(2), BEGIN);
            long first = ask(limit, Questions.take(1), BEGIN).waitNanos();
            Answer.Booking one = new Answer.Booking(first, 1);
            Answer.Booking both = new Answer.Booking(first, 2);
            for (long ahead : new long[] {0, first - 1_000, first}) {
                List<Answer.Booking> booked =
                        ask(limit, Questions.book(1, 5, ahead), BEGIN).bookings();
                assertThat(booked)
                        .as("%s, %d ns ahead", limit, ahead)
                        .startsWith(ahead < first || limit instanceof SlidingWindowCounter ? one : both)
                        .filteredOn(each -> each.inNanos() > ahead)
                        .hasSize(ahead < first ? 1 : 0);
                List<Slot> slots = booked.stream()
                        .map(each -> new Slot(each.permits(), BEGIN * 1_000 + each.inNanos(), false, 1, false))
                        .toList();
                ask(limit, Questions.undo(slots), BEGIN);
            }
        }
    }
}
