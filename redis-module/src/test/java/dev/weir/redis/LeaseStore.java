package dev.weir.redis;

import dev.weir.limit.Limit;
import java.util.ArrayList;
import java.util.List;

/** What a script knows of one node, which has the limit for itself. Answers at once, fails at once, takes no calls, or lets questions lie. */
final class LeaseStore implements Store {

    private final int permits;
    private final List<Runnable> lying = new ArrayList<>();
    private String does = "answers";
    long held;
    long heldCalls;
    long heldByOthers;

    LeaseStore(int permits) {
        this.permits = permits;
    }

    @Override
    public void ask(Limit limit, Question question, Listener listener) {
        if (does.equals("fails")) {
            listener.failed(new IllegalStateException("gone"));
            return;
        }
        if (does.equals("takes no calls")) {
            listener.failed(new TooManyCallsException(1));
            return;
        }
        Answer answer = answer(question);
        if (does.equals("answers")) {
            listener.answered(answer);
        } else {
            lying.add(() -> listener.answered(answer));
        }
    }

    private Answer answer(Question question) {
        held = question.heldPermits();
        heldCalls = question.heldCalls();
        int one = question.one();
        long granted = one == 0
                ? 0
                : Math.max(
                                0,
                                Math.min(
                                        (permits - heldByOthers - held) / one,
                                        question.wanted().most() / one))
                        * one;
        held += granted;
        heldCalls += one == 0 ? 0 : granted / one;
        long wait = one > 0 && granted == 0 ? Answer.UNKNOWN : 0;
        long left = permits - heldByOthers - held;
        long next = left > 0 ? 0 : Answer.UNKNOWN;
        long full = held == 0 ? 0 : Answer.UNKNOWN;
        return new Answer(1, granted, wait, left, next, next, full, List.of());
    }

    void does(String now) {
        does = now;
        if (!now.equals("lies")) {
            List<Runnable> late = List.copyOf(lying);
            lying.clear();
            late.forEach(Runnable::run);
        }
    }
}
