package dev.weir.benchmarks.waiting;

import dev.weir.benchmarks.Compared;
import dev.weir.benchmarks.Kind;
import java.util.function.Supplier;

/** Where requests wait. Each is measured in a virtual machine that knows no other. */
public enum RoomContender implements Compared {
    NODES(Kind.FLOOR, "node of a list, for one thread", () -> new LinkedNodes(false)),
    TIMED_NODES(Kind.FLOOR, "the same, with the time when it came", () -> new LinkedNodes(true)),
    CALLBACK(Kind.OURS, "callback", OurRooms::callbacks),
    CALLBACK_WITH_BOUND(Kind.OURS, "callback, with a bound of its own", OurRooms::callbacksWithBound),
    FUTURE(Kind.OURS, "future", OurRooms::futures),
    MONO(Kind.OURS, "Mono", OurRooms::monos),
    BUCKET4J(Kind.PEER, "Bucket4j, future", PeerRooms::bucket4j),
    FAILSAFE(Kind.PEER, "Failsafe, future", PeerRooms::failsafe),
    RESILIENCE4J(Kind.PEER, "Resilience4j, Mono", PeerRooms::resilience4j);

    private final Kind kind;
    private final String label;

    @SuppressWarnings("ImmutableEnumChecker") // A recipe without a state.
    private final Supplier<Room> room;

    RoomContender(Kind kind, String label, Supplier<Room> room) {
        this.kind = kind;
        this.label = label;
        this.room = room;
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public String label() {
        return label;
    }

    Room room() {
        return room.get();
    }
}
