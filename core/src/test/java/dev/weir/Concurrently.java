package dev.weir;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Has several threads do something at the same time, each with its number from zero on. The first that fails ends them all. */
public final class Concurrently {

    private Concurrently() {}

    public interface Work {
        void run(int thread) throws Exception;
    }

    public interface Question<T> {
        T answer(int thread) throws Exception;
    }

    public static void run(int threads, Work work) {
        ask(threads, thread -> {
            work.run(thread);
            return thread;
        });
    }

    /** Returns what each thread answers, in the order of their numbers. */
    public static <T> List<T> ask(int threads, Question<T> question) {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            ExecutorCompletionService<T> ended = new ExecutorCompletionService<>(pool);
            List<Future<T>> all = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                all.add(ended.submit(() -> question.answer(number)));
            }
            for (int thread = 0; thread < threads; thread++) {
                ended.take().get(); // whoever fails is heard of, though others may wait for it
            }
            List<T> answers = new ArrayList<>();
            for (Future<T> one : all) {
                answers.add(one.get());
            }
            return answers;
        } catch (ExecutionException failed) {
            throw new AssertionError("One of " + threads + " threads failed", failed.getCause());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            pool.shutdownNow();
        }
    }
}
