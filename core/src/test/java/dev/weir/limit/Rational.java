package dev.weir.limit;

import java.math.BigInteger;

/** An exact fraction, as slow and as obvious as can be. */
record Rational(BigInteger dividend, BigInteger divisor) implements Comparable<Rational> {

    private static final BigInteger MOST = BigInteger.ONE.shiftLeft(62);

    static final Rational ZERO = of(0);

    static Rational of(long whole) {
        return new Rational(BigInteger.valueOf(whole), BigInteger.ONE);
    }

    static Rational of(long dividend, long divisor) {
        return new Rational(BigInteger.valueOf(dividend), BigInteger.valueOf(divisor)).reduced();
    }

    Rational plus(Rational other) {
        return new Rational(
                        dividend.multiply(other.divisor).add(other.dividend.multiply(divisor)),
                        divisor.multiply(other.divisor))
                .reduced();
    }

    Rational minus(Rational other) {
        return plus(new Rational(other.dividend.negate(), other.divisor));
    }

    Rational times(Rational other) {
        return new Rational(dividend.multiply(other.dividend), divisor.multiply(other.divisor)).reduced();
    }

    Rational max(Rational other) {
        return compareTo(other) >= 0 ? this : other;
    }

    Rational min(Rational other) {
        return compareTo(other) <= 0 ? this : other;
    }

    boolean atLeast(Rational other) {
        return compareTo(other) >= 0;
    }

    /** Saturates at numbers that a few more may be added to. */
    long floor() {
        BigInteger[] quotient = dividend.divideAndRemainder(divisor);
        BigInteger floor = quotient[0].subtract(BigInteger.valueOf(quotient[1].signum() < 0 ? 1 : 0));
        return floor.min(MOST).max(MOST.negate()).longValueExact();
    }

    long ceiling() {
        return -new Rational(dividend.negate(), divisor).floor();
    }

    private Rational reduced() {
        BigInteger gcd = dividend.gcd(divisor);
        return new Rational(dividend.divide(gcd), divisor.divide(gcd));
    }

    @Override
    public int compareTo(Rational other) {
        return dividend.multiply(other.divisor).compareTo(other.dividend.multiply(divisor));
    }
}
