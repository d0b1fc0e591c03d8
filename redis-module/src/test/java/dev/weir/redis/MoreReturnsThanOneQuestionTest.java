package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** More that goes back than one question is to tell of, in virtual time. */
class MoreReturnsThanOneQuestionTest {

    private static final int LEASES = 3_000;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration A_WHILE = Duration.ofSeconds(2);

    private final Limit limit = Limit.of(10_000, HOUR);
    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final ModelStore model = new ModelStore(limit, time);
    private final ManualStore store = new ManualStore(model);
    private final List<Lease> leases = new ArrayList<>();

    private RateLimiter limiter(WhenUnavailable choice) {
        return ModelFleet.builder(limit, store, choice).timeSource(time).build();
    }

    private void take(RateLimiter limiter) {
        for (int i = 0; i < LEASES; i++) {
            CompletableFuture<Lease> asked = limiter.acquire(2);
            store.answerAll();
            time.advanceBy(Duration.ofNanos(1_000));
            leases.add(asked.join());
        }
        store.asked.clear();
    }

    private void answerFromNowOn() {
        for (Duration passed = Duration.ZERO; passed.compareTo(A_WHILE) < 0; passed = passed.plusMillis(10)) {
            time.advanceBy(Duration.ofMillis(10));
            store.answerAll();
        }
    }

    private List<Question> telling() {
        return store.asked.stream()
                .filter(question -> !question.undone().isEmpty())
                .toList();
    }

    private void checkToldOnce() {
        assertThat(telling())
                .hasSizeGreaterThan(1)
                .allSatisfy(
                        question -> assertThat(question.undone()).hasSizeLessThanOrEqualTo(PendingUpdates.MOST_UNDONE));
        assertThat(telling().stream()
                        .flatMap(question -> question.undone().stream())
                        .mapToLong(Slot::permits)
                        .sum())
                .isEqualTo(LEASES);
    }

    @Test
    @DisplayName("a return during a trip is reported once, in several questions one after the other")
    void whileATripIsUnderWay() {
        RateLimiter limiter = limiter(WhenUnavailable.LOCAL);
        take(limiter);
        leases.forEach(lease -> lease.settle(1));
        assertThat(store.asked).as("the others follow").hasSize(1);
        store.answerAll();
        checkToldOnce();
        assertThat(model.policy().available(time.nanoTime())).isEqualTo(10_000 - LEASES);
    }

    @Test
    @DisplayName("a request and a charge come after all returns")
    void whoAsksComesAfter() {
        RateLimiter limiter = limiter(WhenUnavailable.LOCAL);
        take(limiter);
        leases.forEach(lease -> lease.settle(1));
        limiter.charge(7);
        CompletableFuture<Lease> asked = limiter.acquire(10_000 - LEASES - 7);
        int answers = 0;
        while (!asked.isDone()) {
            store.answer();
            time.advanceBy(Duration.ofNanos(1_000));
            answers++;
        }
        assertThat(asked.join().source()).isEqualTo(DecisionSource.REMOTE);
        assertThat(answers).isLessThanOrEqualTo(LEASES / PendingUpdates.MOST_UNDONE + 4);
        checkToldOnce();
        List<Question> telling = telling();
        assertThat(telling.subList(0, telling.size() - 1))
                .allSatisfy(question -> assertThat(question.mostCharged()).isZero());
        assertThat(store.asked.stream().mapToLong(Question::mostCharged).sum()).isEqualTo(7);
    }

    @Test
    @DisplayName("a return of very many bookings is finished, latest first, before new ones are made")
    void latestFirst() {
        FleetState state = new FleetState(Held.NOT_COUNTED, 0);
        for (int i = 0; i < LEASES; i++) {
            state.undo(Questions.booked(1, i * 1_000L), 1);
        }
        long before = Long.MAX_VALUE;
        Question question = state.ask(new Wanted(Sizes.all(1), 1, 1, 0, 0));
        while (state.hasUpdates()) {
            assertThat(question.one()).isZero();
            for (Slot slot : question.undone()) {
                assertThat(slot.atNanos()).isLessThan(before);
                before = slot.atNanos();
            }
            question = state.ask(new Wanted(Sizes.all(1), 1, 1, 0, 0));
        }
        assertThat(question.one()).isEqualTo(1);
        assertThat(before).isLessThan(PendingUpdates.MOST_UNDONE * 1_000L);
    }

    @Test
    @DisplayName("in whatever order something is given back, it is told latest first, and again so if it was not sent")
    void latestFirstAgain() {
        FleetState state = new FleetState(Held.NOT_COUNTED, 0);
        for (int i = 0; i < LEASES; i++) {
            state.undo(Questions.booked(1 + i, i * 37 % LEASES / 2 * 1_000L), 1);
        }
        Question question = state.ask(Wanted.NOTHING);
        assertThat(question.undone())
                .hasSize(PendingUpdates.MOST_UNDONE)
                .isSortedAccordingTo(Comparator.comparingLong(Slot::atNanos).reversed());
        state.notSent(question);
        Slot since = Questions.booked(1, LEASES * 1_000L);
        state.undo(since, 1);
        List<Slot> again = new ArrayList<>(question.undone().subList(0, PendingUpdates.MOST_UNDONE - 1));
        again.add(0, since);
        assertThat(state.ask(Wanted.NOTHING).undone()).isEqualTo(again);
        Slot early = Questions.booked(1, 1_000);
        Slot late = Questions.booked(2, 2_000);
        assertThat(Questions.seeing(List.of(early, late)).booked()).containsExactly(late, early);
    }

    @Test
    @DisplayName(
            "a grant is one of those that a question tells of, however large it is, and however many requests it is for")
    void oneGrant() {
        FleetState state = new FleetState(Held.NOT_COUNTED, 0);
        Slot grant = new Slot(3 * LEASES - 2, 7_000, false, 3, true);
        state.undo(grant, LEASES);
        assertThat(state.hasManyUpdates()).isFalse();
        Question question = state.ask(new Wanted(Sizes.all(1), 1, 1, 0, 0));
        assertThat(question.undone()).containsExactly(grant);
        assertThat(told(limit, question)).endsWith(" 8998:7t ");
        assertThat(told(limit.countingCalls(), question)).endsWith(" 8998:7tx3000 ");
    }

    @ParameterizedTest
    @EnumSource(WhenUnavailable.class)
    @DisplayName("a return in an outage is reported after it, and then what was admitted alone")
    void afterAnOutage(WhenUnavailable choice) {
        RateLimiter limiter = limiter(choice);
        take(limiter);
        CompletableFuture<Lease> alone = limiter.acquire(2);
        store.fail();
        time.advanceBy(A_WHILE);
        leases.forEach(lease -> {
            lease.settle(1);
            store.fail(new TooManyCallsException(1));
        });
        store.asked.clear();
        answerFromNowOn();
        checkToldOnce();
        boolean isAdmitted = alone.join().isAcquired();
        assertThat(isAdmitted).isEqualTo(choice != WhenUnavailable.REFUSE);
        assertThat(model.policy().available(time.nanoTime())).isEqualTo(10_000 - LEASES - (isAdmitted ? 2 : 0));
        limiter.charge(1);
        store.answerAll();
        assertThat(limiter.tryAcquire().retryAfter()).isPresent();
        store.answerAll();
        assertThat(limiter.tryAcquire().source()).isEqualTo(DecisionSource.REMOTE);
    }

    @Test
    @DisplayName(
            "to an exact window those of the same time are told as one; to others, and where requests are counted, each")
    void mergedWhereThatIsTheSame() {
        List<Slot> slots = List.of(
                Questions.booked(1, 9_000),
                Questions.booked(2, 7_300),
                Questions.booked(3, 7_100),
                Slot.taken(4, 7_000, true),
                Questions.booked(5, 7_000));
        Question question = Questions.undo(slots);
        Limit bucket = Limit.tokenBucket(100, 100, HOUR);
        assertThat(told(limit, question)).contains(" 1:9,5:7,4:7p,5:7 ");
        assertThat(told(bucket, question)).contains(" 1:9,2:7,3:7,4:7p,5:7 ");
        assertThat(told(Limit.allOf(limit, bucket), question)).contains(" 1:9,2:7,3:7,4:7p,5:7 ");
        assertThat(told(limit.countingCalls(), question)).contains(" 1:9,2:7,3:7,4:7p,5:7 ");
    }

    private static String told(Limit limit, Question question) {
        return LimitWords.of(limit, HOUR).arguments(question, "node")[QuestionWords.COUNT - 1];
    }

    @Test
    @DisplayName("a return that was not sent is reported later, once")
    void unsent() {
        RateLimiter limiter = limiter(WhenUnavailable.LOCAL);
        take(limiter);
        leases.forEach(lease -> lease.settle(1));
        store.fail(new TooManyCallsException(1));
        store.asked.clear();
        answerFromNowOn();
        checkToldOnce();
        assertThat(model.policy().available(time.nanoTime())).isEqualTo(10_000 - LEASES);
    }
}
