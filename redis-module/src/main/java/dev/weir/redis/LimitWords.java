package dev.weir.redis;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A limit encoded for the store: the script that enforces it, and the script arguments (words) that describe it with every
 * question. Shared by all keys that have this limit.
 */
final class LimitWords {

    /** The longest wait: scripts add a period and the time itself to it, and have 16 digits, below 2^53, for the sum. */
    private static final long MOST = 1L << 52;

    /** The number of arguments of the question, which come first; then those of the limit follow, WORDS for each member. */
    static final int ASKED = 4;

    private static final int WORDS = 9;

    private static final String PERMITS = "0";
    private static final String CALLS = "1";
    private static final String CALLS_OF_ANY_SIZE = "2";

    /** Before the charge: the state is to be written in any case. */
    private static final String WRITES = "w";

    /** The index of the held count among the words of a member that counts leases. */
    private static final int HELD = 4;

    private final Limit limit;
    private final List<LimitPart> parts;
    private final List<Member> members;
    private final Script script;
    private final String[] words;
    private final boolean knowsNodes;
    private final boolean countsCalls;
    private final boolean areLogs;

    private LimitWords(Limit limit, List<Member> members) {
        this.limit = limit;
        this.parts = LimitPart.of(limit);
        this.members = members;
        this.script = Script.of(members);
        this.knowsNodes = members.stream().anyMatch(LimitWords::isLeases);
        this.words = words(parts, members, knowsNodes);
        this.countsCalls = parts.stream().anyMatch(LimitPart::calls);
        this.areLogs = members.stream().allMatch(member -> member.kind() == Member.Kind.LOG);
    }

    static LimitWords of(Limit limit, Duration leaseTime) {
        return new LimitWords(limit, Member.of(limit, leaseTime));
    }

    /** Returns whether these are the words of that limit. */
    boolean areFor(Limit asked) {
        return limit == asked || limit.equals(asked);
    }

    Script script() {
        return script;
    }

    List<Member> members() {
        return members;
    }

    private static boolean isLeases(Member member) {
        return member.kind() == Member.Kind.LEASES;
    }

    /** Returns the words without trailing zeros: each argument costs time on both sides. */
    private static String[] words(List<LimitPart> parts, List<Member> members, boolean knowsNodes) {
        List<String> words = new ArrayList<>(members.size() * WORDS);
        for (int i = 0; i < parts.size(); i++) {
            while (words.size() % WORDS != 0) {
                words.add("0");
            }
            words.add(members.get(i).kind().script);
            words.add(counted(parts.get(i)));
            members.get(i).numbers().forEach(number -> words.add(Long.toString(number)));
        }
        while (!knowsNodes && words.get(words.size() - 1).equals("0")) {
            words.remove(words.size() - 1);
        }
        return words.toArray(String[]::new);
    }

    private static String counted(LimitPart part) {
        if (!part.calls()) {
            return PERMITS;
        }
        return part.anySize() ? CALLS_OF_ANY_SIZE : CALLS;
    }

    /** Returns the script arguments of a question. Values that are usually zero or empty share one argument. */
    String[] arguments(Question question, String node) {
        String[] arguments = new String[ASKED + words.length];
        arguments[0] = Integer.toString(question.one());
        arguments[1] = Long.toString(question.wanted().most());
        arguments[2] = waitWord(question.wanted());
        arguments[3] = updateWord(question, node);
        System.arraycopy(words, 0, arguments, ASKED, words.length);
        if (knowsNodes) {
            tellHeld(question, arguments);
        }
        return arguments;
    }

    private void tellHeld(Question question, String[] arguments) {
        for (int i = 0; i < members.size(); i++) {
            if (isLeases(members.get(i))) {
                long held = parts.get(i).counts(question.heldPermits(), question.heldCalls());
                arguments[ASKED + WORDS * i + HELD] = Long.toString(held);
            }
        }
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
        String undone = slots(merged(latestFirst(question.undone())));
        String booked = slots(latestFirst(question.booked()));
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

    /** Sorts by time, latest first: a bucket can only recognize its latest booking, and once that is undone the one before. */
    private static List<Slot> latestFirst(List<Slot> slots) {
        return slots.size() < 2
                ? slots
                : slots.stream()
                        .sorted(Comparator.comparingLong(Slot::atNanos).reversed())
                        .toList();
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
