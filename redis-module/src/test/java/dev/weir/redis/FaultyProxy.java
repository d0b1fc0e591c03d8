package dev.weir.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A connection that misbehaves as told: between a client and a server, on this machine, with a thread for each direction. */
final class FaultyProxy implements AutoCloseable {

    /** What becomes of bytes that pass. */
    enum Fault {
        NONE,
        /** Answers come 200 ms late. */
        DELAY,
        /** Nothing passes; the connection stays. */
        STALL,
        /** Answers come a byte at a time. */
        TRICKLE,
        /** Questions pass, answers do not. */
        SWALLOW
    }

    private static final int BUFFER = 8192;
    private static final long DELAY_MILLIS = 200;
    private static final long TRICKLE_MILLIS = 20;

    private final int serverPort;
    private final ServerSocket listening;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "proxy");
        thread.setDaemon(true);
        return thread;
    });
    private final Queue<Socket> open = new ConcurrentLinkedQueue<>();
    private final CountDownLatch never = new CountDownLatch(1);
    private volatile Fault fault = Fault.NONE;
    private volatile boolean refusing;

    FaultyProxy(int serverPort) {
        this.serverPort = serverPort;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        threads.execute(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    void fault(Fault what) {
        fault = what;
    }

    /** Resets all connections; from now on further ones are closed at once, or not. */
    void reset(boolean refuse) {
        refusing = refuse;
        for (Socket socket = open.poll(); socket != null; socket = open.poll()) {
            try {
                socket.setSoLinger(true, 0);
                socket.close();
            } catch (IOException alreadyClosed) {
                // as wanted
            }
        }
    }

    private void accept() {
        try {
            while (!listening.isClosed()) {
                Socket client = listening.accept();
                open.add(client);
                if (refusing) {
                    reset(true);
                    continue;
                }
                Socket server = new Socket();
                server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort));
                open.add(server);
                threads.execute(() -> pass(client, server, false));
                threads.execute(() -> pass(server, client, true));
            }
        } catch (IOException closed) {
            // the end
        }
    }

    private void pass(Socket from, Socket to, boolean answers) {
        byte[] buffer = new byte[BUFFER];
        try (from;
                to) {
            for (int read = from.getInputStream().read(buffer);
                    read >= 0;
                    read = from.getInputStream().read(buffer)) {
                while (fault == Fault.STALL) {
                    pause(TRICKLE_MILLIS);
                }
                if (answers && fault == Fault.DELAY) {
                    pause(DELAY_MILLIS);
                }
                int written = answers && fault == Fault.SWALLOW ? read : 0;
                while (written < read) {
                    boolean slowly = answers && fault == Fault.TRICKLE;
                    int length = slowly ? 1 : read - written;
                    to.getOutputStream().write(buffer, written, length);
                    written += length;
                    if (slowly) {
                        pause(TRICKLE_MILLIS);
                    }
                }
            }
        } catch (IOException closed) {
            // the other side hears of it
        }
    }

    private void pause(long millis) {
        try {
            if (never.await(millis, TimeUnit.MILLISECONDS)) {
                throw new AssertionError("never");
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(end);
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        reset(true);
        threads.shutdownNow();
    }
}
