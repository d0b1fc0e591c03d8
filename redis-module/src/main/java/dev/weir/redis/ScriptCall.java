package dev.weir.redis;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A limit of one limiter, as it is passed with every question: the script, the names of the keys, and the numbers.
 *
 * @param limit the limit
 * @param members its members
 * @param script what decides
 * @param keys one for each member
 */
record ScriptCall(Limit limit, List<Member> members, Script script, List<String> keys) {

    private static final long MOST = (1L << 53) - 1;
    private static final int NUMBERS = 7;
    private static final int FIXED = 7;

    static ScriptCall of(Limit limit, Keys keys, String tag, Duration leaseTime) {
        List<Member> members = Member.of(limit, leaseTime);
        return new ScriptCall(limit, members, Script.of(members), keys.of(tag, members));
    }

    /** What is usually zero or empty is told together, or left out: each argument costs time on both sides. */
    String[] arguments(Question question, String node) {
        List<String> arguments = new ArrayList<>(4 + members.size() * 9);
        arguments.add(Integer.toString(question.one()));
        arguments.add(Long.toString(question.most()));
        arguments.add(waits(question));
        arguments.add(tells(question, node));
        for (Member member : members) {
            arguments.add(member.kind().script);
            arguments.add(member.calls() ? "1" : "0");
            for (int i = 0; i < NUMBERS; i++) {
                arguments.add(Long.toString(number(member, i, question)));
            }
        }
        int last = arguments.size();
        while (arguments.get(last - 1).equals("0")) {
            last--;
        }
        return arguments.subList(0, last).toArray(String[]::new);
    }

    private static String waits(Question question) {
        if (question.longestWaitNanos() == 0 && question.aheadNanos() == 0 && question.waiting() == 0) {
            return "";
        }
        return micros(question.longestWaitNanos()) + " " + micros(question.aheadNanos()) + " " + question.waiting();
    }

    private String tells(Question question, String node) {
        String undone = slots(question.undone());
        String booked = slots(together(question.booked()));
        boolean isNothing = question.charge() == 0 && undone.isEmpty() && booked.isEmpty();
        return isNothing && !knowsNodes() ? "" : question.charge() + " " + node + " " + undone + " " + booked;
    }

    private boolean knowsNodes() {
        return members.stream().anyMatch(member -> member.kind() == Member.Kind.LEASES);
    }

    private static long number(Member member, int i, Question question) {
        if (member.kind() == Member.Kind.LEASES && i == 2) {
            return member.calls() ? question.heldCalls() : question.heldPermits();
        }
        return i < member.numbers().size() ? member.numbers().get(i) : 0;
    }

    private static String micros(long nanos) {
        return Long.toString(Math.min(MOST, nanos / 1000));
    }

    /** To buckets it is the same for when something is booked: one number instead of sixty. */
    private List<Slot> together(List<Slot> booked) {
        if (booked.size() < 2 || !members.stream().allMatch(ScriptCall::isBucket)) {
            return booked;
        }
        int permits = booked.stream().mapToInt(Slot::permits).sum();
        return List.of(new Slot(permits, booked.get(booked.size() - 1).atNanos()));
    }

    private static boolean isBucket(Member member) {
        return member.kind() == Member.Kind.BUCKET && !member.calls();
    }

    private static String slots(List<Slot> slots) {
        StringBuilder text = new StringBuilder();
        for (Slot slot : slots) {
            text.append(text.length() == 0 ? "" : ",")
                    .append(slot.permits())
                    .append(':')
                    .append(slot.atNanos() / 1000)
                    .append(slot.part() ? "p" : "");
        }
        return text.toString();
    }

    /** Reads what the script has answered. */
    static Answer answer(List<?> reply) {
        List<Answer.Booking> bookings = new ArrayList<>();
        for (int i = FIXED; i + 1 < reply.size(); i += 2) {
            bookings.add(new Answer.Booking(nanos(reply, i), (int) number(reply, i + 1)));
        }
        return new Answer(
                nanos(reply, 0),
                number(reply, 1),
                nanos(reply, 2),
                number(reply, 3),
                nanos(reply, 4),
                nanos(reply, 5),
                nanos(reply, 6),
                List.copyOf(bookings));
    }

    private static long number(List<?> reply, int i) {
        return ((Number) reply.get(i)).longValue();
    }

    private static long nanos(List<?> reply, int i) {
        long micros = number(reply, i);
        return micros < 0 ? Answer.UNKNOWN : Math.min(micros, Long.MAX_VALUE / 2000) * 1000;
    }
}
