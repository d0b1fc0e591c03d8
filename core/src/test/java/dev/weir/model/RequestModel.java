package dev.weir.model;

import java.util.List;

/**
 * A request to the model.
 *
 * @param who its number in the script
 * @param permits how many it asks for
 * @param since when it asked
 * @param deadline until when it may wait; {@link LimitModel#NEVER} if for ever
 * @param reaction what its listener does
 */
record RequestModel(int who, int permits, long since, long deadline, List<Step> reaction) {}
