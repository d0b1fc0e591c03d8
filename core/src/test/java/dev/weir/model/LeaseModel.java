package dev.weir.model;

/** A grant as its user sees it: what it was for, and what has been done with it. A refusal has nothing left to do. */
final class LeaseModel {

    final int permits;
    final long takenAt;

    boolean closed;
    boolean settled;

    /** What is still out, where closing returns it. */
    int out;

    LeaseModel(int permits, long takenAt) {
        this.permits = permits;
        this.takenAt = takenAt;
        this.out = permits;
    }

    static LeaseModel refused() {
        LeaseModel refused = new LeaseModel(0, 0);
        refused.closed = true;
        refused.settled = true;
        return refused;
    }
}
