package dev.weir.redis;

import dev.weir.limit.Limit;
import java.util.ArrayList;
import java.util.List;

/** What a script knows of one node, which has the limit for itself. */
final class LeaseStore implements Store {

    /** What the store does with a question: answers at once, fails at once, refuses it unheard, or answers when it no longer hangs. */
    enum Mood {
        ANSWERS,
        FAILS,
        TAKES_NO_CALLS,
        HANGS
    }

    private final int permits;
    private final List<Runnable> late = new ArrayList<>();
    private Mood mood = Mood.ANSWERS;
    long held;
    long heldCalls;
    long heldByOthers;

    LeaseStore(int permits) {
        this.permits = permits;
    }

    @Override
    public void ask(Limit limit, Question question, Listener listener) {
        switch (mood) {
            case ANSWERS -> listener.answered(answer(question));
            case FAILS -> listener.failed(new IllegalStateException("gone"));
            case TAKES_NO_CALLS -> listener.failed(new TooManyCallsException(1));
            case HANGS -> {
                Answer answer = answer(question);
                late.add(() -> listener.answered(answer));
            }
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

    void is(Mood now) {
        mood = now;
        if (now != Mood.HANGS) {
            List<Runnable> answers = List.copyOf(late);
            late.clear();
            answers.forEach(Runnable::run);
        }
    }
}
