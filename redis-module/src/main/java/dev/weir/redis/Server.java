package dev.weir.redis;

/**
 * What a node keeps of a server that its limiters ask.
 *
 * @param circuit whether it may be asked
 * @param reports where limits wait for their turn to ask, once it was away
 * @param polls when limits ask again for leases that end on other nodes
 */
record Server(Circuit circuit, ReportQueue reports, Polls polls) {

    static Server behind(Circuit circuit) {
        return new Server(circuit, new ReportQueue(circuit), new Polls());
    }
}
