import { type Check, completions, holds, type TrialEvidence, voids, warns } from '../evidence.ts';

const completionsPerSlotMin = 5;
const emptyShareMax = 0.5;
/** Share of the window for which the load client had work and no processor, from which bursts are its own. */
const starvedShareMin = 0.25;

/**
 * Sessions start out of step, so replies that come each when it is done fill the window evenly: with five
 * expected per slot, chance leaves 0.7 % of the slots empty. When most are empty, something kept replies
 * back and released them together, and the latency is that of the release. A durable system may hold them
 * back itself, until the flush that covers them: as far as the disk is that slow, it is a warning. So it is
 * where the load client, with replies to read, had no processor to read them on.
 */
export const checkReplyBursts: Check = (evidence) => {
  const { result } = evidence;
  const { slots, empty, slotMs } = result.replySlots;
  if (slots === 0) return holds;
  const perSlot = completions(result.window) / slots;
  const emptyShare = empty / slots;
  if (perSlot < completionsPerSlotMin || emptyShare <= emptyShareMax) return holds;
  const message = `replies came in bursts: ${(emptyShare * 100).toFixed(0)} % of the ${slotMs} ms slots had none, where ${perSlot.toFixed(0)} each were expected`;
  const flushes = flushesPerSlot(evidence);
  // Flushes that come at random leave e^−flushes of the slots without one, and so without a reply.
  const explained = flushes === null ? 0 : Math.exp(-flushes);
  if (emptyShare <= emptyShareMax + (1 - emptyShareMax) * explained) {
    return warns(
      'reply-bursts',
      `${message}; the disk did ${flushes?.toFixed(1)} flushes a slot, and a durable commit waits for one`,
      'use a faster disk by --data-dir, or read the latency as that of the disk',
    );
  }
  const starved = starvedShare(evidence);
  if (starved >= starvedShareMin) {
    return warns(
      'reply-bursts',
      `${message}; for ${(starved * 100).toFixed(0)} % of the window the load client had work and no processor`,
      'stop other programs on this machine, or use one with more cores',
    );
  }
  return voids(
    'reply-bursts',
    message,
    'a session must hand on each reply when it arrives; its latency is otherwise the latency of the release',
  );
};

/** An event loop that was busy for longer than the process had a processor waited for one: 0 to 1. */
function starvedShare({ result }: TrialEvidence): number {
  const { loopUtilization, cpuUserUs, cpuSystemUs } = result.effort;
  const processorShare = (cpuUserUs + cpuSystemUs) / (result.timing.windowMs * 1000);
  return Math.max(0, (loopUtilization ?? 0) - processorShare);
}

/** Flushes by which durable commits could be answered, for each slot: null where none is waited for, or known. */
function flushesPerSlot({ factsAfter, storage, result }: TrialEvidence): number | null {
  if (factsAfter.durability !== 'durable' || storage === null) return null;
  const { slotMs } = result.replySlots;
  const { warmupMs, windowMs, drainMs } = result.timing;
  const possible = (storage.fsyncPerSecond * slotMs) / 1000;
  if (storage.deviceFlushes === null) return possible;
  return Math.min(possible, (storage.deviceFlushes * slotMs) / (warmupMs + windowMs + drainMs));
}
