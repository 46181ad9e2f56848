/**
 * For `array[place] ?? nothingAt(place)` where the place must exist: an auditor that finds nothing there is wrong, or its log is, and
 * no default may stand for it.
 */
export function nothingAt(place: number | string): never {
  throw new RangeError(`the audit found nothing at place ${place}, which must exist`);
}
