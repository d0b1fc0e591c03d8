package dev.weir.samples.gateway;

import dev.weir.samples.Failure;
import dev.weir.samples.SampleException;
import java.io.PrintStream;
import java.util.List;
import reactor.core.publisher.Mono;
import reactor.netty.ChannelBindException;

/** The command: starts the application, and puts a load on it if requested. */
public final class GatewayCommand {

    private static final String USAGE = """
            usage: Gateway [--port PORT] [--rate PERMITS] [--load [REQUESTS CONNECTIONS]]

              --port PORT      where to listen; 8080 unless given, any free port with --load
              --rate PERMITS   what /refuse admits in any second; 1000 unless given
              --load ...       sends requests to /refuse, 50000 from 200 connections unless given, and prints what was
                               admitted, and what a filter adds to the time of a request; with 50000 and more also by
                               wrk, if that is installed; then ends. 'wrk -t2 -c200 -d30s http://127.0.0.1:8080/refuse' does the same from outside
            """;

    private GatewayCommand() {}

    /**
     * Runs the command.
     *
     * @param args the command line arguments
     * @param out where reports are printed
     * @param err where errors are printed
     * @return the exit code: 0, 1 if the port is taken, a request failed or more was admitted than the limit allows, or 2 for invalid
     *     arguments; does not complete while the application is running; cancelling closes it
     */
    public static Mono<Integer> run(String[] args, PrintStream out, PrintStream err) {
        if (List.of(args).equals(List.of("--help"))) {
            out.print(USAGE);
            return Mono.just(0);
        }
        try {
            GatewayArguments arguments = GatewayArguments.parse(args);
            Mono<Integer> run = arguments.isLoad() ? load(arguments, out) : serve(arguments, out);
            return run.onErrorResume(error -> Mono.just(Failure.print(error, err)));
        } catch (IllegalArgumentException senseless) {
            err.println(senseless.getMessage());
            err.print(USAGE);
            return Mono.just(2);
        }
    }

    private static Mono<Integer> serve(GatewayArguments arguments, PrintStream out) {
        return Mono.usingWhen(
                        GatewayServer.open(arguments.port(), arguments.rate()),
                        gateway -> untilStopped(gateway, out),
                        GatewayServer::close)
                .onErrorMap(ChannelBindException.class, taken -> cannotListen(arguments.port()));
    }

    private static Mono<Integer> untilStopped(GatewayServer gateway, PrintStream out) {
        out.println("open at " + gateway.url() + "/ until you press Ctrl-C; try also /refuse /wait /per-user /several");
        return Mono.never();
    }

    private static SampleException cannotListen(int port) {
        return new SampleException(
                "cannot listen on port " + port + ", which another program may use; choose another with --port");
    }

    private static Mono<Integer> load(GatewayArguments arguments, PrintStream out) {
        return Mono.usingWhen(
                GatewayServer.open(0, arguments.rate()),
                gateway -> new Load(gateway, arguments).run(out),
                GatewayServer::close);
    }
}
