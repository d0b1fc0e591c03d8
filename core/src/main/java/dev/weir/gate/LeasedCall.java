package dev.weir.gate;

import dev.weir.Lease;
import java.util.Objects;

/**
 * A call that is made with its lease, by a function of the user's.
 *
 * @param <S> the type of the source that is the call
 * @param <E> the type of what the function may throw
 */
@FunctionalInterface
public interface LeasedCall<S, E extends Throwable> {

    /**
     * Makes the call: returns what is to be subscribed.
     *
     * @param lease the lease of the call
     * @return the source
     * @throws E if there is no call
     */
    S make(Lease lease) throws E;

    /**
     * Makes the call, or gives the lease back: if the function fails there is no call, so it should be as if there had been no
     * request.
     *
     * @param lease the lease of the call
     * @return the source
     * @throws E if there is no call
     */
    default S makeOrGiveBack(Lease lease) throws E {
        try {
            return Objects.requireNonNull(make(lease), "The function of the lease returned null");
        } catch (Throwable failed) {
            Hook.call(lease::giveBack); // a limiter that fails now must not hide why there is no call
            throw failed;
        }
    }
}
