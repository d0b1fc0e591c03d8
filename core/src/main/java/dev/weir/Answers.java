package dev.weir;

import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * What was decided and has still to be told, in order: calls of user code, and steps of chains. A drain fills it and has it
 * delivered outside; {@link Delivery} says when.
 */
final class Answers {

    private @Nullable Queue<Runnable> calls;
    private @Nullable Queue<Runnable> steps;

    /** Lets what other limiters decide on this thread join these answers; null as long as none is asked. */
    private @Nullable Delivery deciding;

    /** Called inside a drain before it asks other limiters; {@link #deliver} ends it. */
    void beginToDecide() {
        if (deciding == null) {
            deciding = Delivery.beginToDecide(this);
        }
    }

    /** Delivers the answers on this thread. Called once, after the drain has been left. */
    void deliver() {
        if (deciding == null) {
            Delivery.deliver(this);
        } else {
            deciding.endToDecide();
        }
    }

    /** Adds calls to the observer and then to the requester, which may be a chain. */
    void add(Runnable observed, Waiter waiter, Lease lease) {
        if (!waiter.isOfChain) {
            add(() -> {
                Delivery.tell(observed);
                waiter.answer(lease);
            });
            return;
        }
        add(observed);
        if (!waiter.answerWhileAsked(lease)) {
            addStep(() -> waiter.answer(lease));
        }
    }

    void add(Runnable call) {
        if (calls == null) {
            calls = new ArrayDeque<>();
        }
        calls.add(call);
    }

    /** Adds a step of a chain, which calls no user code but foreign limiters. */
    void addStep(Runnable step) {
        if (steps == null) {
            steps = new ArrayDeque<>();
        }
        steps.add(step);
    }

    void addAll(Answers later) {
        if (later.calls != null) {
            later.calls.forEach(this::add);
        }
        if (later.steps != null) {
            later.steps.forEach(this::addStep);
        }
    }

    boolean isEmpty() {
        return calls == null && steps == null;
    }

    boolean hasCalls() {
        return calls != null && !calls.isEmpty();
    }

    boolean hasSteps() {
        return steps != null && !steps.isEmpty();
    }

    /** Removes the next call; there must be one. */
    Runnable nextCall() {
        return Objects.requireNonNull(calls, "calls").remove();
    }

    /** Removes the next step; there must be one. */
    Runnable nextStep() {
        return Objects.requireNonNull(steps, "steps").remove();
    }
}
