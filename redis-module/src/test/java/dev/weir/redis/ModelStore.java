package dev.weir.redis;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.time.TimeSource;
import java.util.ArrayList;
import java.util.List;

/**
 * A store of one limit within this JVM, which answers before it returns: the policy of the limit itself decides. What is booked is
 * kept apart until it is due, and is one booking at a time, whoever made it: what several nodes book is up to the scripts.
 */
final class ModelStore implements Store {

    private final TimeSource time;
    private final PermitPolicy policy;
    private final List<Slot> booked = new ArrayList<>();
    private Limit known;

    ModelStore(Limit limit, TimeSource time) {
        this.time = time;
        this.known = limit;
        this.policy = limit.newPolicy(time.nanoTime());
    }

    /** What decides here. */
    PermitPolicy policy() {
        return policy;
    }

    @Override
    public void ask(Limit limit, Question question, Listener listener) {
        long now = time.nanoTime();
        if (!limit.equals(known)) {
            policy.reconfigure(limit, now);
            known = limit;
        }
        takeDue(now);
        question.undone().forEach(slot -> undo(slot, now));
        if (policy.returnsOnRelease()) {
            policy.release(Math.toIntExact(policy.capacity() - policy.available(now) - question.heldPermits()), now);
        }
        if (question.mostCharged() > 0) {
            policy.charge((int) question.mostCharged(), now);
        }
        listener.answered(answer(question, now));
    }

    private void takeDue(long now) {
        while (!booked.isEmpty() && booked.get(0).atNanos() - now <= 0) {
            Slot due = booked.remove(0);
            if (policy.tryTake(due.permits(), due.atNanos()) != PermitPolicy.TAKEN) {
                throw new AssertionError("booked, but not there: " + due);
            }
        }
    }

    private void undo(Slot slot, long now) {
        if (!booked.remove(slot)) {
            if (slot.part()) {
                policy.settle(slot.permits(), 0, false, slot.atNanos(), now);
            } else if (!policy.returnsOnRelease()) {
                for (int left = slot.permits(); left > 0; left -= slot.one()) {
                    policy.giveBack(Math.min(left, slot.one()), slot.atNanos(), now);
                }
            }
        }
    }

    private Answer answer(Question question, long now) {
        long granted = 0;
        long wait = 0;
        int one = question.one();
        if (one > question.wanted().most()) {
            wait = policy.nanosUntil(0, one, now); // nothing is taken at once, but it may be booked, be it for now
        }
        while (one > 0 && wait == 0 && granted + one <= question.wanted().most() && booked.isEmpty()) {
            wait = policy.tryTake(one, now);
            granted += wait == PermitPolicy.TAKEN ? one : 0;
            one = question.wanted().sizes().after(granted);
        }
        long available = policy.available(now);
        int next = (int) Math.min(policy.capacity(), Math.max(0, available) + 1);
        long first = told(policy.nanosUntil(0, next, now));
        long largest = told(policy.nanosUntil(0, policy.capacity(), now));
        List<Answer.Booking> bookings = new ArrayList<>();
        if (one > 0
                && granted == 0
                && booked.isEmpty()
                && wait != PermitPolicy.AWAIT_SIGNAL
                && wait <= question.wanted().longestWaitNanos()) {
            booked.add(Questions.booked(one, now + wait));
            bookings.add(new Answer.Booking(wait, one));
            wait = 0;
        }
        return new Answer(
                now, granted, told(wait), available, first, largest, told(policy.nanosUntilFull(now)), bookings);
    }

    private static long told(long nanos) {
        return nanos == PermitPolicy.AWAIT_SIGNAL ? Answer.UNKNOWN : nanos;
    }
}
