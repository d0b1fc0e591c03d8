package dev.weir.webflux;

import java.util.Map;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseCookie;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.util.MultiValueMap;
import org.springframework.web.reactive.function.BodyInserter;
import org.springframework.web.reactive.function.server.EntityResponse;
import org.springframework.web.reactive.function.server.RenderingResponse;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * A response that runs a callback when it has been written, failed or cancelled, or when another one is written in its place. An
 * {@link EntityResponse} or {@link RenderingResponse} stays one, for filters that look at what it carries.
 */
abstract sealed class EndingResponse implements ServerResponse {

    private final ServerResponse response;
    private final Runnable end;
    private volatile boolean isWritten;

    private EndingResponse(ServerResponse response, Runnable end) {
        this.response = response;
        this.end = end;
    }

    static EndingResponse of(ServerResponse response, Runnable end) {
        if (response instanceof EntityResponse<?> entity) {
            return new OfEntity<>(entity, end);
        }
        return response instanceof RenderingResponse rendering
                ? new OfRendering(rendering, end)
                : new Plain(response, end);
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

    private static final class Plain extends EndingResponse {

        Plain(ServerResponse response, Runnable end) {
            super(response, end);
        }
    }

    private static final class OfEntity<T> extends EndingResponse implements EntityResponse<T> {

        private final EntityResponse<T> response;

        OfEntity(EntityResponse<T> response, Runnable end) {
            super(response, end);
            this.response = response;
        }

        @Override
        public T entity() {
            return response.entity();
        }

        @Override
        public BodyInserter<T, ? super ServerHttpResponse> inserter() {
            return response.inserter();
        }
    }

    private static final class OfRendering extends EndingResponse implements RenderingResponse {

        private final RenderingResponse response;

        OfRendering(RenderingResponse response, Runnable end) {
            super(response, end);
            this.response = response;
        }

        @Override
        public String name() {
            return response.name();
        }

        @Override
        public Map<String, Object> model() {
            return response.model();
        }
    }
}
