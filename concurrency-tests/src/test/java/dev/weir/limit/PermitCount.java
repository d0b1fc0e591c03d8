package dev.weir.limit;

/** The sequential model of every policy at one instant: a number of free permits. */
public class PermitCount {

    long free = TakeOperations.FREE;

    public boolean takeOne() {
        return take(1, 1);
    }

    public boolean takeTwo() {
        return take(2, 2);
    }

    boolean take(int needed, int taken) {
        boolean there = free >= needed;
        free -= there ? taken : 0;
        return there;
    }

    public void giveBackOne() {
        free++;
    }

    public void settleTwoForOne() {
        free++;
    }

    public void chargeTwo() {
        free -= 2;
    }

    public long available() {
        return free;
    }

    /** Evenly spaced: a request passes if a single permit would, whatever its size; the next one waits the longer. */
    public static final class Spaced extends PermitCount {

        @Override
        public boolean takeTwo() {
            return take(1, 2);
        }
    }

    /** Nothing can be charged where only closing a lease brings permits back. */
    public static final class Uncharged extends PermitCount {

        @Override
        public void chargeTwo() {}
    }
}
