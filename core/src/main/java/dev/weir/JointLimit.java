package dev.weir;

import dev.weir.limit.Limit;
import java.util.List;

/** The limits of several limiters, individually and combined. */
record JointLimit(List<Limit> each, Limit together) {

    static JointLimit of(List<Member> members) {
        List<Limit> each =
                members.stream().map(member -> member.limiter().limit()).toList();
        return new JointLimit(each, each.size() == 1 ? each.get(0) : Limit.allOf(each.toArray(Limit[]::new)));
    }

    /** Returns whether the limiters still have the same limit instances. */
    boolean isThatOf(List<Member> members) {
        for (int i = 0; i < each.size(); i++) {
            if (members.get(i).limiter().limit() != each.get(i)) {
                return false;
            }
        }
        return true;
    }
}
