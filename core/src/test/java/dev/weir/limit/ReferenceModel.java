package dev.weir.limit;

/** A limit as its definition says it, without a thought for speed. Times count from the creation of the policy. */
interface ReferenceModel {

    /** Whether a request would pass; changes nothing. */
    boolean fits(int permits, long at);

    /** Takes permits, whether they are there or not. */
    void take(int permits, long at);

    /** How many permits could be taken one by one, negative while in debt. */
    long available(long at);
}
