package dev.weir.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ApiDumpTest {

    @Test
    @DisplayName("a class: what callers and subclasses see, with generics, and nothing else")
    void ofAClass() {
        assertThat(ApiDump.of(Specimen.class))
                .containsExactly(
                        "public abstract static class Specimen<T extends Number & Comparable<T>> implements AutoCloseable",
                        "    public static final long LIMIT = 3",
                        "    protected Specimen(@Nullable String)",
                        "    public void close() throws java.io.IOException",
                        "    protected abstract <R> R map(java.util.function.Function<? super T, ? extends @Nullable R>)",
                        "    public final @Deprecated java.util.List<T[]> map(int, String...)",
                        "    public enum Colour",
                        "        RED",
                        "        GREEN",
                        "    public record Pair<K>(K key, @Nullable Object value) implements Comparable<dev.weir.proof.ApiDumpTest$Specimen$Pair<K>>",
                        "        public int compareTo(dev.weir.proof.ApiDumpTest$Specimen$Pair<K>)");
    }

    @Test
    @DisplayName("an interface: default methods and functional ones are told apart")
    void ofAnInterface() {
        assertThat(ApiDump.of(Shape.class))
                .containsExactly(
                        "public functional interface Shape",
                        "    public int area()",
                        "    public default boolean isFlat()",
                        "    public static dev.weir.proof.ApiDumpTest$Shape none()");
    }

    /** Some of everything. */
    public abstract static class Specimen<T extends Number & Comparable<T>> implements AutoCloseable {
        public static final long LIMIT = 3;
        static final long HIDDEN = 4;

        protected Specimen(@Nullable String name) {}

        Specimen() {}

        protected abstract <R> R map(Function<? super T, ? extends @Nullable R> by);

        @Deprecated
        public final List<T[]> map(int first, String... others) {
            hidden();
            return List.of();
        }

        void hidden() {}

        @Override
        public void close() throws IOException {}

        @Override
        public String toString() {
            return "";
        }

        /** Constants keep their order. */
        public enum Colour {
            RED,
            GREEN
        }

        /** Accessors are implied. */
        public record Pair<K>(K key, @Nullable Object value) implements Comparable<Pair<K>> {
            @Override
            public int compareTo(Pair<K> other) {
                return Comparator.comparing((Pair<K> pair) -> pair.key().hashCode())
                        .compare(this, other);
            }
        }
    }

    /** Of one method. */
    @FunctionalInterface
    public interface Shape {
        int area();

        default boolean isFlat() {
            return area() == 0;
        }

        static Shape none() {
            return () -> 0;
        }
    }
}
