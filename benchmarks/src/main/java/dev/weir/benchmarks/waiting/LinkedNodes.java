package dev.weir.benchmarks.waiting;

/** The least that a request can cost that can be withdrawn: a node in a list, for one thread. */
final class LinkedNodes implements Room {

    private static final long GONE = Long.MIN_VALUE;

    private final Node ends = new Node(GONE);
    private final boolean timed;
    private long size;

    /** A list that reads the clock for each newcomer, or does not. */
    LinkedNodes(boolean timed) {
        this.timed = timed;
    }

    @Override
    public Object enter() {
        Node node = new Node(timed ? System.nanoTime() : 0);
        node.before = ends.before;
        node.after = ends;
        ends.before.after = node;
        ends.before = node;
        size++;
        return node;
    }

    @Override
    public boolean leave(Object request) {
        Node node = (Node) request;
        if (node.since == GONE) {
            return false;
        }
        node.since = GONE;
        node.before.after = node.after;
        node.after.before = node.before;
        size--;
        return true;
    }

    @Override
    public long waiting() {
        return size;
    }

    @Override
    public int timers() {
        return 0;
    }

    private static final class Node {

        Node before = this;
        Node after = this;
        long since;

        Node(long since) {
            this.since = since;
        }
    }
}
