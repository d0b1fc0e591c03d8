package dev.weir;

/**
 * What a request waits behind: how many others, and how many permits these ask for together. Most limits count permits, some count
 * requests.
 */
record Ahead(long requests, long permits) {

    static final Ahead NOTHING = new Ahead(0, 0);

    Ahead and(Waiter next) {
        return new Ahead(requests + 1, permits + next.permits);
    }
}
