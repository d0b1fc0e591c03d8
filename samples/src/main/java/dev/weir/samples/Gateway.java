package dev.weir.samples;

import dev.weir.samples.gateway.GatewayCommand;

/** An application with four limited endpoints and a page that shows them live; or a load on it, with {@code --load}. */
public final class Gateway {

    private Gateway() {}

    /**
     * Starts the application and returns; it runs until the process is ended, or the load is over.
     *
     * @param args as {@code --help} explains
     */
    public static void main(String[] args) {
        GatewayCommand.run(args, System.out, System.err).subscribe(System::exit);
    }
}
