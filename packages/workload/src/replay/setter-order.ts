/** An operation that sets one value. */
export interface Setter {
  /** Times between which it happened, microseconds. */
  readonly sentUs: number;
  readonly settledUs: number;
  /** Whether it may not have happened. */
  readonly doubt: boolean;
  /** The number of the rule that its old value must not meet; −1 without one. */
  readonly rule: number;
  readonly to: bigint;
}

export interface Setters {
  readonly setters: readonly Setter[];
  /** By number, whether a rule permits an operation at this value. */
  readonly permits: readonly ((value: bigint) => boolean)[];
  /** Null for a row that was not there: it permits everything. */
  readonly initial: bigint | null;
  readonly final: bigint;
}

/** What a search may cost, over all values of a trial. */
export interface Budget {
  stepsLeft: number;
}

/** Of one search: what remains is for the other values. */
const stepsMax = 1_000_000;
/** Values that no rule tells apart are one; with more rules each value is its own. */
const rulesMax = 24;

/**
 * Whether some order, in which each setter is between its times, permits each setter and ends with the final value: a
 * search over linear extensions (J. M. Wing and C. Gong, "Testing and Verifying Concurrent Objects", JPDC 17, 1993)
 * that remembers the states that lead nowhere. Of setters with equal rules and equal results the one that settled first
 * goes first: exchanging two of them changes nothing else. Exact where it ends; `undecided` where the steps run out.
 */
export function orderOf(input: Setters, budget: Budget): 'permitted' | 'refused' | 'undecided' {
  const byValue = (a: Setter, b: Setter): number => (a.to < b.to ? -1 : a.to > b.to ? 1 : 0);
  const byEnd = (a: Setter, b: Setter): number => a.settledUs - b.settledUs;
  for (const prefer of [byEnd, byValue, (a: Setter, b: Setter): number => byValue(b, a)]) {
    const found = new Search(input, prefer, budget).run();
    if (found !== 'undecided') return found;
  }
  return 'undecided';
}

interface Item extends Setter {
  /** What the rules see of the value that it sets. */
  readonly result: string;
  readonly kind: string;
  used: boolean;
  /** Its places by beginning and by end. */
  startPlace: number;
  endPlace: number;
}

interface Choice {
  readonly candidates: readonly Item[];
  next: number;
  /** Of the state before it. */
  readonly key: string;
}

class Search {
  readonly #input: Setters;
  readonly #prefer: (a: Setter, b: Setter) => number;
  readonly #budget: Budget;
  /** Those that must happen, by their beginning and by their end; and those in doubt. */
  readonly #byStart: readonly Item[];
  readonly #byEnd: readonly Item[];
  readonly #doubts: readonly Item[];
  readonly #dead = new Set<string>();
  #stepsLeft: number;
  /** Before these places all have happened. */
  #start = 0;
  #end = 0;
  /** How many setters that must happen have happened. */
  #usedCount = 0;

  constructor(input: Setters, prefer: (a: Setter, b: Setter) => number, budget: Budget) {
    this.#input = input;
    this.#prefer = prefer;
    this.#budget = budget;
    this.#stepsLeft = Math.min(stepsMax, budget.stepsLeft);
    const items = input.setters.map((setter): Item => {
      const result = this.#signatureOf(setter.to);
      const kind = `${setter.rule} ${setter.doubt} ${result}`;
      return { ...setter, result, kind, used: false, startPlace: 0, endPlace: 0 };
    });
    const certain = items.filter(({ doubt }) => !doubt);
    this.#byStart = certain.toSorted((a, b) => a.sentUs - b.sentUs);
    this.#byEnd = certain.toSorted((a, b) => a.settledUs - b.settledUs);
    this.#byStart.forEach((item, place) => void (item.startPlace = place));
    this.#byEnd.forEach((item, place) => void (item.endPlace = place));
    this.#doubts = items.filter(({ doubt }) => doubt);
  }

  run(): 'permitted' | 'refused' | 'undecided' {
    const { initial, final } = this.#input;
    const last = this.#signatureOf(final);
    let value = initial === null ? null : this.#signatureOf(initial);
    const before = this.#stepsLeft;
    const choices: Choice[] = [];
    try {
      for (;;) {
        this.#move();
        if (this.#end === this.#byEnd.length && value === last) return 'permitted';
        if (this.#stepsLeft <= 0) return 'undecided';
        const key = this.#keyOf(value);
        choices.push({ candidates: this.#dead.has(key) ? [] : this.#candidates(value), next: 0, key });
        const chosen = this.#advance(choices);
        if (chosen === null) return 'refused';
        value = chosen.result;
      }
    } finally {
      this.#budget.stepsLeft -= before - this.#stepsLeft;
    }
  }

  /** Takes the next candidate of the latest choice that has one; null when none has. */
  #advance(choices: Choice[]): Item | null {
    for (let choice = choices.at(-1); choice !== undefined; choice = choices.at(-1)) {
      const undone = choice.candidates[choice.next - 1];
      if (undone !== undefined) this.#undo(undone);
      const item = choice.candidates[choice.next];
      if (item !== undefined) {
        choice.next += 1;
        item.used = true;
        if (!item.doubt) this.#usedCount += 1;
        return item;
      }
      this.#dead.add(choice.key);
      choices.pop();
    }
    return null;
  }

  /** Moves both places to the first that has not happened. */
  #move(): void {
    while (this.#byStart[this.#start]?.used === true) this.#start += 1;
    while (this.#byEnd[this.#end]?.used === true) this.#end += 1;
  }

  #undo(item: Item): void {
    item.used = false;
    if (item.doubt) return;
    this.#usedCount -= 1;
    this.#start = Math.min(this.#start, item.startPlace);
    this.#end = Math.min(this.#end, item.endPlace);
  }

  /** Of each kind that is permitted, the setter that ends first among those that may be next. */
  #candidates(value: string | null): Item[] {
    const frontierUs = this.#byEnd[this.#end]?.settledUs ?? Number.POSITIVE_INFINITY;
    const best = new Map<string, Item>();
    const consider = (item: Item): void => {
      this.#stepsLeft -= 1;
      if (item.used || item.sentUs > frontierUs || !this.#isPermitted(item, value)) return;
      // One in doubt that changes nothing is of no use.
      if (item.doubt && item.result === value) return;
      const known = best.get(item.kind);
      if (known === undefined || item.settledUs < known.settledUs) best.set(item.kind, item);
    };
    for (let place = this.#start; place < this.#byStart.length; place += 1) {
      const item = this.#byStart[place];
      if (item === undefined || item.sentUs > frontierUs) break;
      consider(item);
    }
    for (const item of this.#doubts) consider(item);
    return [...best.values()].sort(this.#prefer);
  }

  #isPermitted({ rule }: Item, value: string | null): boolean {
    if (rule === -1 || value === null) return true;
    if (this.#areDistinct) return this.#input.permits[rule]?.(BigInt(value)) ?? true;
    return value[rule] === '1';
  }

  get #areDistinct(): boolean {
    return this.#input.permits.length > rulesMax;
  }

  /** What the rules see of a value: values that all of them judge alike have one signature. */
  #signatureOf(value: bigint): string {
    if (this.#areDistinct) return String(value);
    return this.#input.permits.map((permits) => (permits(value) ? '1' : '0')).join('');
  }

  /** Identifies what has happened, and the value: the first that has not happened, and those after it that have. */
  #keyOf(value: string | null): string {
    const later: number[] = [];
    let left = this.#usedCount - this.#start;
    for (let place = this.#start + 1; left > 0 && place < this.#byStart.length; place += 1) {
      this.#stepsLeft -= 1;
      if (this.#byStart[place]?.used !== true) continue;
      later.push(place);
      left -= 1;
    }
    const doubts = this.#doubts.flatMap(({ used }, place) => (used ? [place] : []));
    return `${value ?? '-'} ${this.#start} ${later.join(' ')} ${doubts.join(' ')}`;
  }
}
