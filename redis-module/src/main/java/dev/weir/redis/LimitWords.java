package dev.weir.redis;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A limit encoded for the store: the script that enforces it, and the script arguments (words) that describe it with every
 * question. Shared by all keys that have this limit.
 */
final class LimitWords {

    /** The number of words for each member. */
    private static final int WORDS = 9;

    private static final String PERMITS = "0";
    private static final String CALLS = "1";
    private static final String CALLS_OF_ANY_SIZE = "2";

    /** The index of the held count among the words of a member that counts leases. */
    private static final int HELD = 4;

    private final Limit limit;
    private final List<Member> members;
    private final Script script;
    private final String[] words;
    private final QuestionWords questions;
    private final boolean knowsNodes;

    private LimitWords(Limit limit, List<Member> members) {
        this.limit = limit;
        this.members = members;
        this.script = Script.of(members);
        this.questions = new QuestionWords(members);
        this.knowsNodes = members.stream().anyMatch(Member::isLeases);
        this.words = words(members, knowsNodes);
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

    /** Returns the words without trailing zeros: each argument costs time on both sides. */
    private static String[] words(List<Member> members, boolean knowsNodes) {
        List<String> words = new ArrayList<>(members.size() * WORDS);
        for (Member member : members) {
            while (words.size() % WORDS != 0) {
                words.add("0");
            }
            words.add(member.kind().script);
            words.add(counted(member.part()));
            member.numbers().forEach(number -> words.add(Long.toString(number)));
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

    /** Returns the script arguments of a question: its own, and then those of the limit, WORDS for each member. */
    String[] arguments(Question question, String node) {
        String[] arguments = new String[QuestionWords.COUNT + words.length];
        questions.write(question, node, arguments);
        System.arraycopy(words, 0, arguments, QuestionWords.COUNT, words.length);
        if (knowsNodes) {
            tellHeld(question, arguments);
        }
        return arguments;
    }

    private void tellHeld(Question question, String[] arguments) {
        for (int i = 0; i < members.size(); i++) {
            Member member = members.get(i);
            if (member.isLeases()) {
                long held = member.part().counts(question.heldPermits(), question.heldCalls());
                arguments[QuestionWords.COUNT + WORDS * i + HELD] = Long.toString(held);
            }
        }
    }
}
