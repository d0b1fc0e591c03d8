package dev.weir.samples.gateway;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A headless Chromium with one page open, which does what the DevTools protocol can say. */
final class Browser implements AutoCloseable {

    private static final List<String> NAMES =
            List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
    private static final Pattern LISTENING = Pattern.compile("DevTools listening on ws://([^/]+)/");
    private static final Pattern PAGE = Pattern.compile("\"webSocketDebuggerUrl\":\\s*\"(ws://[^\"]+/page/[^\"]+)\"");
    private static final Pattern ID = Pattern.compile("^\\{\"id\":(\\d+)");
    private static final Pattern VALUE = Pattern.compile("\"value\":\"([^\"]*)\"");
    private static final int PATIENCE = 60;

    private final Process process;
    private final WebSocket socket;
    private final Map<Integer, CompletableFuture<String>> replies;
    private final AtomicInteger ids = new AtomicInteger();

    private Browser(Process process, WebSocket socket, Map<Integer, CompletableFuture<String>> replies) {
        this.process = process;
        this.socket = socket;
        this.replies = replies;
    }

    /** Finds those that can be started by their names: at most one, usually none. */
    static List<Path> installed() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .limit(1)
                .toList();
    }

    static Browser open(Path executable, Path profile, String url) throws Exception {
        Process process = new ProcessBuilder(
                        executable.toString(),
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        url)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Map<Integer, CompletableFuture<String>> replies = new ConcurrentHashMap<>();
        WebSocket socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create(pageOf(addressOf(process))), new Replies(replies))
                .get(PATIENCE, TimeUnit.SECONDS);
        return new Browser(process, socket, replies);
    }

    /** Reads what the browser says until it has said where it listens; what it says later nobody needs. */
    private static String addressOf(Process process) throws IOException {
        BufferedReader errors = process.errorReader(StandardCharsets.UTF_8);
        for (String line = errors.readLine(); line != null; line = errors.readLine()) {
            Matcher listening = LISTENING.matcher(line);
            if (listening.find()) {
                Thread rest = new Thread(() -> errors.lines().forEach(later -> {}), "browser's errors");
                rest.setDaemon(true);
                rest.start();
                return listening.group(1);
            }
        }
        throw new IOException("the browser has ended, with " + process.exitValue());
    }

    private static String pageOf(String address) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + address + "/json/list"))
                .timeout(Duration.ofSeconds(PATIENCE))
                .build();
        Matcher page = PAGE.matcher(HttpClient.newHttpClient()
                .send(request, BodyHandlers.ofString())
                .body());
        if (!page.find()) {
            throw new IOException("the browser has no page");
        }
        return page.group(1);
    }

    /** Puts messages together, and hands each to whoever waits for its number. */
    private record Replies(Map<Integer, CompletableFuture<String>> replies, StringBuilder text)
            implements WebSocket.Listener {

        Replies(Map<Integer, CompletableFuture<String>> replies) {
            this(replies, new StringBuilder());
        }

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                Matcher id = ID.matcher(text);
                CompletableFuture<String> reply = id.find() ? replies.remove(Integer.valueOf(id.group(1))) : null;
                if (reply != null) {
                    reply.complete(text.toString());
                }
                text.setLength(0);
            }
            from.request(1);
            return CompletableFuture.completedFuture(null);
        }
    }

    /** Gives a command, with its parameters in JSON, and waits for the reply. */
    String command(String method, String parameters) throws Exception {
        int id = ids.incrementAndGet();
        CompletableFuture<String> reply = new CompletableFuture<>();
        replies.put(id, reply);
        socket.sendText("{\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + parameters + "}", true)
                .get(PATIENCE, TimeUnit.SECONDS);
        return reply.get(PATIENCE, TimeUnit.SECONDS);
    }

    /** Evaluates an expression without double quotes in it, as text. */
    String evaluate(String expression) throws Exception {
        String reply = command(
                "Runtime.evaluate",
                "{\"returnByValue\":true,\"expression\":\"encodeURIComponent(String(" + expression.replace("\n", " ")
                        + "))\"}");
        Matcher value = VALUE.matcher(reply);
        if (!value.find()) {
            throw new AssertionError(expression + " is " + reply);
        }
        return URLDecoder.decode(value.group(1), StandardCharsets.UTF_8);
    }

    void press(String key, int code) throws Exception {
        String text = key.equals("Enter") ? ",\"text\":\"\\r\"" : "";
        String what = "\"key\":\"" + key + "\",\"code\":\"" + key + "\",\"windowsVirtualKeyCode\":" + code + text + "}";
        command("Input.dispatchKeyEvent", "{\"type\":\"keyDown\"," + what);
        command("Input.dispatchKeyEvent", "{\"type\":\"keyUp\"," + what);
    }

    @Override
    public void close() {
        socket.abort();
        process.destroy();
        process.onExit().orTimeout(PATIENCE, TimeUnit.SECONDS).join();
    }
}
