package dev.weir.samples;

import dev.weir.samples.llm.LlmCommand;

/** Asks a language model within a budget of requests and tokens; the model is a stub on the loopback interface. */
public final class LlmClient {

    private LlmClient() {}

    /**
     * Starts asking and returns; the end exits the JVM.
     *
     * @param args none, or {@code --help}
     */
    public static void main(String[] args) {
        LlmCommand.run(args, System.out, System.err).subscribe(System::exit);
    }
}
