package dev.weir.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** How questions about one limit are encoded for the store: the script arguments (words) that come before those of the limit. */
final class QuestionWords {

    /** How many they are. */
    static final int COUNT = 4;

    /** The longest wait: scripts add a period and the time itself to it, and have 16 digits, below 2^53, for the sum. */
    private static final long MOST = 1L << 52;

    /** Before the charge: the state is to be written in any case. */
    private static final String WRITES = "w";

    private final boolean knowsNodes;
    private final boolean countsCalls;
    private final boolean areLogs;

    QuestionWords(List<Member> members) {
        this.knowsNodes = members.stream().anyMatch(Member::isLeases);
        this.countsCalls = members.stream().anyMatch(member -> member.part().calls());
        this.areLogs = members.stream().allMatch(member -> member.kind() == Member.Kind.LOG);
    }

    /** Writes those of a question to the beginning of its arguments. Values that are usually zero or empty share one. */
    void write(Question question, String node, String[] arguments) {
        arguments[0] = Integer.toString(question.one());
        arguments[1] = Long.toString(question.wanted().most());
        arguments[2] = waitWord(question.wanted());
        arguments[3] = updateWord(question, node);
    }

    private static String waitWord(Wanted wanted) {
        return wanted.isAtOnce()
                ? ""
                : wanted.waiting() + " " + micros(wanted.longestWaitNanos()) + " " + micros(wanted.aheadNanos())
                        + sizes(wanted);
    }

    /** Those of requests that are alike need not be told. */
    private static String sizes(Wanted wanted) {
        return wanted.sizes().areAlike() ? "" : " " + wanted.sizes().words();
    }

    private String updateWord(Question question, String node) {
        String undone = slots(merged(question.undone()));
        String booked = slots(question.booked());
        boolean isNothing = question.owed().isNothing() && undone.isEmpty() && booked.isEmpty();
        if (isNothing && !knowsNodes && !question.writes()) {
            return "";
        }
        return (question.writes() ? WRITES : "") + question.owed().charge() + " " + node + " " + undone + " " + booked
                + owedOfParts(question.owed());
    }

    private static String owedOfParts(Owed owed) {
        return owed.ofParts().isEmpty()
                ? ""
                : owed.ofParts().stream().map(String::valueOf).collect(Collectors.joining(",", " ", ""));
    }

    private static String micros(long nanos) {
        return Long.toString(Math.min(MOST, nanos / 1000));
    }

    /**
     * Merges slots of the same time, if all members are logs, which distinguish takes only by time. A bucket or a counter gives
     * back less for several slots than for one of the sum.
     */
    private List<Slot> merged(List<Slot> slots) {
        if (slots.size() < 2 || !areLogs || countsCalls) {
            return slots;
        }
        List<Slot> merged = new ArrayList<>();
        for (Slot slot : slots) {
            int last = merged.size() - 1;
            if (last >= 0 && slot.isOneWith(merged.get(last))) {
                int permits = merged.get(last).permits() + slot.permits();
                merged.set(last, slot.withPermits(permits));
            } else {
                merged.add(slot);
            }
        }
        return merged;
    }

    private String slots(List<Slot> slots) {
        if (slots.isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder();
        for (Slot slot : slots) {
            text.append(text.length() == 0 ? "" : ",")
                    .append(slot.permits())
                    .append(':')
                    .append(slot.atNanos() / 1000)
                    .append(mark(slot))
                    .append(calls(slot));
        }
        return text.toString();
    }

    private String calls(Slot slot) {
        return countsCalls && slot.calls() > 1 ? "x" + slot.calls() : "";
    }

    private static String mark(Slot slot) {
        if (slot.part()) {
            return "p";
        }
        return slot.taken() ? "t" : "";
    }
}
