package dev.weir.model;

import dev.weir.limit.LeakyBucket;
import dev.weir.limit.Limit;
import dev.weir.limit.TokenBucket;
import java.math.BigInteger;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A token bucket or a leaky one: what is missing from the one is what is in the other, and both run back to zero at a constant
 * rate. Counted in the largest unit of which both a permit and a nanosecond's flow are whole multiples, so nothing is rounded.
 */
final class BucketModel implements LimitModel {

    private Limit kept;
    private int capacity;
    private int burst;
    private boolean isLeaky;
    private long unitsPerPermit;
    private long unitsPerNano;

    private long missing;
    private long missingAsOf;

    /** The limit before this one and until when it was in force; the fastest if something taken before may still be given back. */
    private @Nullable BucketModel past;

    private long pastUntil;

    BucketModel(TokenBucket limit) {
        kept = limit;
        configure(limit);
        missing = (limit.capacity() - limit.initialTokens()) * unitsPerPermit;
    }

    BucketModel(LeakyBucket limit) {
        kept = limit;
        configure(limit);
    }

    private BucketModel(BucketModel like) {
        kept = like.kept;
        capacity = like.capacity;
        burst = like.burst;
        isLeaky = like.isLeaky;
        unitsPerPermit = like.unitsPerPermit;
        unitsPerNano = like.unitsPerNano;
        missing = like.missing;
        missingAsOf = like.missingAsOf;
        past = like.past;
        pastUntil = like.pastUntil;
    }

    private void configure(TokenBucket limit) {
        configure(limit.capacity(), limit.capacity(), limit.refillTokens(), limit.refillPeriod());
    }

    private void configure(LeakyBucket limit) {
        isLeaky = true;
        configure(limit.permits(), limit.slack() + 1, limit.permits(), limit.period());
    }

    private void configure(int largest, int atOnce, int permits, Duration period) {
        long divisor = gcd(period.toNanos(), permits);
        capacity = largest;
        burst = atOnce;
        unitsPerPermit = period.toNanos() / divisor;
        unitsPerNano = permits / divisor;
    }

    private static long gcd(long a, long b) {
        return BigInteger.valueOf(a).gcd(BigInteger.valueOf(b)).longValueExact();
    }

    @Override
    public LimitModel copy() {
        return new BucketModel(this);
    }

    @Override
    public int capacity() {
        return capacity;
    }

    /** With room for one permit alone, what flows in within the nanosecond in which it comes due is not lost. */
    private long grace() {
        return burst == 1 && unitsPerPermit >= unitsPerNano ? unitsPerNano - 1 : 0;
    }

    private long missing(long at) {
        long left = missing - (at - missingAsOf) * unitsPerNano;
        return left < -grace() ? 0 : left;
    }

    @Override
    public boolean fits(int permits, long at) {
        return missing(at) <= (burst - (isLeaky ? 1 : permits)) * unitsPerPermit;
    }

    @Override
    public void take(int permits, long at) {
        missing = missing(at) + permits * unitsPerPermit;
        missingAsOf = at;
    }

    @Override
    public void charge(int permits, long at) {
        if (permits > 0) {
            take(permits, at);
        }
    }

    /** What has flowed in since may have overflowed for want of the take, so only what has not flowed in since returns. */
    @Override
    public void giveBack(int permits, long takenAt, long at) {
        settle(permits, 0, false, takenAt, at);
    }

    @Override
    public void settle(int taken, int actual, boolean closed, long takenAt, long at) {
        if (actual >= taken) {
            charge(actual - taken, at);
            return;
        }
        long notYet = Math.max(0, taken * unitsPerPermit - flowed(takenAt, at));
        long returned = Math.min((taken - actual) * unitsPerPermit, notYet);
        missing = Math.max(missing(at) - returned, Math.min(missing(at), -grace()));
        missingAsOf = at;
    }

    /** What was taken under an earlier limit, time returned as that did. */
    private long flowed(long since, long at) {
        if (past == null || since >= pastUntil) {
            return (at - since) * unitsPerNano;
        }
        long before = past.unitsHere((pastUntil - since) * past.unitsPerNano, this);
        return before + (at - pastUntil) * unitsPerNano;
    }

    /** So many units of this limit in those of another, for the same permits; rounded up. */
    private long unitsHere(long units, BucketModel other) {
        return -Math.floorDiv(-units * other.unitsPerPermit, unitsPerPermit);
    }

    private boolean isFasterThan(BucketModel other) {
        return unitsPerNano * other.unitsPerPermit > other.unitsPerNano * unitsPerPermit;
    }

    @Override
    public long available(long at) {
        return Math.floorDiv(burst * unitsPerPermit - missing(at), unitsPerPermit);
    }

    @Override
    public boolean isFull(long at) {
        return missing(at) <= 0;
    }

    /** Keeps the number of permits that are missing; a fraction that cannot be kept is rounded up. */
    @Override
    public void reconfigure(Limit limit, long at) {
        if (limit.equals(kept)) {
            return;
        }
        BucketModel before = new BucketModel(this);
        long owed = Math.max(0, missing(at));
        kept = limit;
        if (limit instanceof TokenBucket bucket) {
            configure(bucket);
        } else {
            configure((LeakyBucket) limit);
        }
        missing = before.unitsHere(owed, this);
        missingAsOf = at;
        past = before.fastest(at);
        pastUntil = at;
    }

    /** This limit, or a faster one from so short a time ago that something taken then may still be given back. */
    private BucketModel fastest(long at) {
        if (past == null || (at - pastUntil) * unitsPerNano >= past.capacity * unitsPerPermit) {
            return this;
        }
        BucketModel fastest = new BucketModel(isFasterThan(past) ? this : past);
        fastest.capacity = Math.max(capacity, past.capacity);
        return fastest;
    }
}
