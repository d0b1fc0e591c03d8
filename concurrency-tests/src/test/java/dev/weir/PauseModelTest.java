package dev.weir;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A pause that begins while another thread does something about pauses, under every interleaving of their steps. */
class PauseModelTest {

    @Test
    @DisplayName("of two pauses that begin, the one that ends later holds")
    void laterEndHolds() {
        Lincheck.runConcurrentTest(() -> {
            Pause pause = new Pause();
            Both.run(() -> pause.extendTo(100), () -> pause.extendTo(200));
            assertEquals(200, pause.nanosLeft(0));
        });
    }

    @Test
    @DisplayName("a pause that begins as the one before is found to be over holds")
    void nextOneHolds() {
        Lincheck.runConcurrentTest(() -> {
            Pause pause = new Pause();
            pause.extendTo(100);
            Both.run(() -> pause.nanosLeft(100), () -> pause.extendTo(200));
            assertEquals(100, pause.nanosLeft(100));
        });
    }
}
