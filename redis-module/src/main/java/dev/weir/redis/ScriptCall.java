package dev.weir.redis;

import io.lettuce.core.protocol.AsyncCommand;

/** A script call in flight: a future that the client completes with the reply or the failure. */
final class ScriptCall extends AsyncCommand<String, String, String> {

    /** What is sent. */
    final OnceCommand command;

    ScriptCall(OnceCommand command) {
        super(command);
        this.command = command;
    }
}
