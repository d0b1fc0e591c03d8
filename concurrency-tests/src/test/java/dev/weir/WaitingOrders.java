package dev.weir;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The sequential model of a queue for one permit: at first it is out, and FIRST and SECOND wait for it. Tells what steps can
 * lead to, one at a time, in any order.
 */
final class WaitingOrders {

    /** What somebody does, at most once each. */
    enum Step {
        RELEASE(0),
        CANCEL_FIRST(1),
        CANCEL_SECOND(2),
        THIRD_ARRIVES(3),
        TRY(4);

        final int number;

        Step(int number) {
            this.number = number;
        }
    }

    private static final String FIRST = "first";
    private static final String SECOND = "second";
    private static final String THIRD = "third";

    private boolean free;
    private final Deque<String> waiting = new ArrayDeque<>(List.of(FIRST, SECOND));
    private final List<String> granted = new ArrayList<>();
    private final Map<Step, Boolean> answers = new EnumMap<>(Step.class);

    /** What can be seen when all is quiet: who waits, who was granted, what the steps answered, whether the permit is there. */
    static String seen(List<String> waiting, List<String> granted, Map<Step, Boolean> answers, boolean free) {
        return "waiting " + waiting + ", granted " + granted + ", answers " + answers + ", free " + free;
    }

    /** Everything that some of the steps can lead to, by the bits of their numbers. */
    static List<Set<String>> outcomes() {
        List<Set<String>> outcomes = new ArrayList<>();
        for (int bits = 0; bits < 1 << Step.values().length; bits++) {
            int chosen = bits;
            List<Step> steps = Stream.of(Step.values())
                    .filter(step -> (chosen >> step.number & 1) == 1)
                    .toList();
            Set<String> seen = new HashSet<>();
            permute(new ArrayList<>(), steps, seen);
            outcomes.add(seen);
        }
        return outcomes;
    }

    private static void permute(List<Step> done, List<Step> left, Set<String> outcomes) {
        if (left.isEmpty()) {
            WaitingOrders model = new WaitingOrders();
            done.forEach(model::step);
            outcomes.add(seen(List.copyOf(model.waiting), model.granted, model.answers, model.free));
        }
        for (Step next : left) {
            List<Step> longer = new ArrayList<>(done);
            longer.add(next);
            List<Step> fewer = new ArrayList<>(left);
            fewer.remove(next);
            permute(longer, fewer, outcomes);
        }
    }

    private void step(Step step) {
        answers.put(
                step,
                switch (step) {
                    case RELEASE -> {
                        free = true;
                        yield true;
                    }
                    case CANCEL_FIRST -> waiting.remove(FIRST);
                    case CANCEL_SECOND -> waiting.remove(SECOND);
                    case THIRD_ARRIVES -> waiting.add(THIRD);
                    case TRY -> {
                        boolean got = free;
                        free = false;
                        yield got;
                    }
                });
        if (free && !waiting.isEmpty()) {
            granted.add(waiting.remove());
            free = false;
        }
    }
}
