package dev.weir.webflux;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseCookie;
import org.springframework.util.MultiValueMap;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** A response that runs a callback when it has been written, failed or cancelled, or when another one is written in its place. */
final class EndingResponse implements ServerResponse {

    private final ServerResponse response;
    private final Runnable end;
    private volatile boolean isWritten;

    EndingResponse(ServerResponse response, Runnable end) {
        this.response = response;
        this.end = end;
    }

    @Override
    public HttpStatusCode statusCode() {
        return response.statusCode();
    }

    @Override
    @SuppressWarnings({"deprecation", "removal"}) // of Spring 6; Spring 7 does not have it
    public int rawStatusCode() {
        return response.statusCode().value();
    }

    @Override
    public HttpHeaders headers() {
        return response.headers();
    }

    @Override
    public MultiValueMap<String, ResponseCookie> cookies() {
        return response.cookies();
    }

    @Override
    public Mono<Void> writeTo(ServerWebExchange exchange, Context context) {
        isWritten = true;
        return Mono.defer(() -> response.writeTo(exchange, context))
                .doOnTerminate(end)
                .doOnCancel(end);
    }

    /** Called when a response is about to be committed: if it is not this one, this one never will be written. */
    Mono<Void> endUnlessWritten() {
        if (!isWritten) {
            end.run();
        }
        return Mono.empty();
    }
}
