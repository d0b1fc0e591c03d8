package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Chains with members in common, asked, cancelled and paid back at random, on a clock that rarely moves. */
class ChainTiesLawsTest {

    private static final int PLAYS = 3_000;

    @Test
    @DisplayName("at no time does the oldest of all requests wait though its members have permits, and nothing is left")
    void theOldestWaitsForAReason() {
        for (long seed = 0; seed < PLAYS; seed++) {
            Play play = new Play(seed);
            play.live();
            play.comeToRest();
        }
    }

    private static final class Play {

        private final long seed;
        private final Random random;
        private final SteppedTime time;
        private final List<RateLimiter> members = new ArrayList<>();
        private final List<List<RateLimiter>> membersOf = new ArrayList<>();
        private final List<RateLimiter> asked = new ArrayList<>();
        private final List<Request> requests = new ArrayList<>();
        private final StringBuilder story = new StringBuilder();

        /** Nanoseconds since the beginning. */
        private long passed;

        Play(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.time = new SteppedTime(random.nextBoolean() ? -7 : Long.MAX_VALUE - 60);
            for (int i = 0; i < 2 + random.nextInt(3); i++) {
                members.add(RateLimiter.builder(anyLimit()).timeSource(time).build());
            }
            for (int i = 0; i < 2 + random.nextInt(3); i++) {
                List<RateLimiter> shuffled = new ArrayList<>(members);
                Collections.shuffle(shuffled, random);
                List<RateLimiter> some = shuffled.subList(0, 2 + random.nextInt(members.size() - 1));
                membersOf.add(some);
                asked.add(RateLimiter.chain(some.toArray(RateLimiter[]::new)));
            }
            if (random.nextBoolean()) {
                for (RateLimiter member : members) {
                    membersOf.add(List.of(member));
                    asked.add(member);
                }
            }
        }

        private Limit anyLimit() {
            int permits = 1 + random.nextInt(3);
            Duration period = Duration.ofNanos(1 + random.nextInt(20));
            return switch (random.nextInt(4)) {
                case 0 -> Limit.of(permits, period);
                case 1 -> Limit.tokenBucket(permits, 1 + random.nextInt(2), period);
                case 2 -> Limit.fixedWindow(permits, period);
                default -> Limit.concurrency(permits);
            };
        }

        void live() {
            for (int step = 0; step < 40; step++) {
                switch (random.nextInt(10)) {
                    case 0, 1, 2, 3 -> ask();
                    case 4, 5 -> end();
                    case 6 -> cancel();
                    case 7 -> advance();
                    default -> tryAtOnce();
                }
                check();
            }
        }

        private void ask() {
            int which = random.nextInt(asked.size());
            int permits = 1 + random.nextInt(asked.get(which).limit().capacity());
            long bound = random.nextInt(4) == 0 ? 1 + random.nextInt(60) : PermitEngine.UNBOUNDED;
            story.append(" ask ")
                    .append(which)
                    .append(" for ")
                    .append(permits)
                    .append(" within ")
                    .append(bound);
            requests.add(new Request(this, which, permits, bound));
        }

        private void tryAtOnce() {
            int which = random.nextInt(asked.size());
            story.append(" try ").append(which);
            asked.get(which).tryAcquire(1).giveBack();
        }

        private void end() {
            List<Request> granted = requests.stream().filter(Request::isGranted).toList();
            if (!granted.isEmpty()) {
                Request one = granted.get(random.nextInt(granted.size()));
                story.append(" end #").append(requests.indexOf(one));
                one.end(random.nextBoolean());
            }
        }

        private void cancel() {
            if (!requests.isEmpty()) {
                int which = random.nextInt(requests.size());
                story.append(" cancel #").append(which);
                requests.get(which).cancel();
            }
        }

        private void advance() {
            int nanos = random.nextInt(10);
            story.append(" +").append(nanos);
            passed += nanos;
            time.advanceBy(nanos);
        }

        private void check() {
            for (Request request : requests) {
                if (!request.isDone()) {
                    assertThat(request.until)
                            .as("%s: over, and not refused", this)
                            .isGreaterThan(passed);
                }
            }
            requests.stream()
                    .filter(request -> !request.isDone())
                    .findFirst()
                    .ifPresent(oldest -> assertThat(oldest.members)
                            .as("%s: #%d could go, and waits", this, requests.indexOf(oldest))
                            .anyMatch(member -> member.availablePermits() < oldest.permits));
        }

        void comeToRest() {
            for (int round = 0; round < 500 && !requests.stream().allMatch(Request::isDone); round++) {
                passed += 7;
                time.advanceBy(7);
                requests.forEach(request -> request.end(true));
            }
            requests.forEach(request -> request.end(true));
            time.advanceBy(1_000);
            assertThat(requests).as("%s", this).allMatch(Request::isDone);
            assertThat(time.pendingTasks()).as("%s", this).isZero();
            for (RateLimiter member : members) {
                assertThat(member.statistics().queuedPermits()).as("%s", this).isZero();
                assertThat(member.availablePermits())
                        .as("%s", this)
                        .isEqualTo(member.limit().capacity());
            }
        }

        @Override
        public String toString() {
            return "seed " + seed + ", members of each " + membersOf + ":" + story;
        }
    }

    private static final class Request {

        private final List<RateLimiter> members;
        private final int permits;
        private final long until;
        private final PermitRequest request;
        private boolean isCancelled;
        private @Nullable Lease answer;

        Request(Play play, int which, int permits, long bound) {
            this.members = play.membersOf.get(which);
            this.permits = permits;
            this.until = bound == PermitEngine.UNBOUNDED ? Long.MAX_VALUE : play.passed + bound;
            this.request = ((BuiltInLimiter) play.asked.get(which)).request(permits, bound, lease -> {
                assertThat(isDone()).as("%s: told twice", play).isFalse();
                answer = lease;
            });
        }

        boolean isDone() {
            return isCancelled || answer != null;
        }

        boolean isGranted() {
            return answer != null && answer.isAcquired();
        }

        void cancel() {
            isCancelled |= request.cancel();
        }

        void end(boolean isUsed) {
            if (answer != null && isUsed) {
                answer.close();
            } else if (answer != null) {
                answer.giveBack();
            }
        }
    }
}
