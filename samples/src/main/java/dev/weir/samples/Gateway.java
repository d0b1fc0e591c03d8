package dev.weir.samples;

import dev.weir.samples.gateway.GatewayCommand;

/** An application with four limited endpoints and a page that shows them live; with {@code --load}, also a load on it. */
public final class Gateway {

    private Gateway() {}

    /**
     * Starts the application and returns; it runs until the process is stopped or the load has ended.
     *
     * @param args as {@code --help} explains
     */
    public static void main(String[] args) {
        GatewayCommand.run(args, System.out, System.err).subscribe(System::exit);
    }
}
