import type { RouteManifest, TargetSettings } from '@fair-bench/contract';
import type { z } from 'zod';

/** Settings as key → value in words: `client` → `native`, `depth` → `8`. */
export type SettingValues = Readonly<Record<string, string>>;

/** A value as artifacts have it. */
export type SettingValue = string | number | boolean;

/** The parts of a connector that settings depend on. */
export interface Settable {
  readonly name: string;
  readonly manifest: RouteManifest;
}

/** One row of the table of settings: what can differ between two measurements of one workload. */
export interface Setting {
  /** As in `TARGET[key=value]`, in columns and sweeps, and, for a part of the load, `--key`. */
  readonly key: string;
  /** As reports call it in a sentence. */
  readonly name: string;
  /** The canonical text of a value; null if it is invalid. */
  readonly parse: (text: string) => string | null;
  readonly accepts: string;
  /** The values that a connector's manifest allows: anything, one of these, or null if it lacks the setting. */
  readonly offeredBy: (manifest: RouteManifest) => 'any' | readonly string[] | null;
  /** Why a connector cannot have a value beside the others, where its manifest's values do not say it; null if it can. */
  readonly refusedBy?: (connector: Settable, values: SettingValues) => string | null;
  /** The default; null where the run's options decide it. */
  readonly defaultValue: string | null;
  /**
   * Of a setting of the client library: the value that explanations reach before they leave the only one of two systems
   * that has the setting, so that its effect is not part of the step between the systems.
   */
  readonly beforeSystem?: string;
  /** Its default is nothing at all, which a system without the setting has too. */
  readonly isAddition?: true;
  /** The load, the target, or the workload's point. */
  readonly of: LoadPart | TargetPart | { readonly kind: 'axis' };
}

/** Each cell has it: it belongs to the load, to who sends it, or to what the machine gives. */
export interface LoadPart {
  readonly kind: 'load';
  /** In cells, summaries and comparisons. */
  readonly field: string;
  readonly schema: z.ZodType;
  /** A canonical text as the field's value; undefined where a cell leaves the field out. */
  readonly valueOf: (text: string) => SettingValue | undefined;
  /** A value as an option's text, if not as it is. */
  readonly textOf?: (value: SettingValue) => string;
  /** Its part of a cell's id; empty for none. */
  readonly idOf: (value: SettingValue) => string;
  /** A value in a table, if not as it is. */
  readonly shown?: (value: SettingValue) => string;
  /** It says who sends the load: ids and tables have it before the workload's axes. */
  readonly isFirst?: true;
  /** Whether reports say it where all have one value: always, where one differs from the default, or not. */
  readonly said: 'always' | 'where-set' | 'where-it-varies';
  /** Only a run has it, no target of an explanation: throughput follows it by definition. */
  readonly isOfRunOnly?: true;
  /** The axis of a sweep; null where its values have no order. */
  readonly curve: Curve | null;
  /** The rule that wants it equal for all targets; null where another rule looks at what was observed of it. */
  readonly parity: EqualRule | null;
  readonly option: LoadOption;
  /** Around the load client's command, where that carries it out. */
  readonly around?: (value: SettingValue, command: LoadCommand) => LoadCommand;
}

/** A program with its arguments. */
export interface LoadCommand {
  readonly command: string;
  readonly arguments: readonly string[];
}

interface Curve {
  /** Fewer values make no curve. */
  readonly valuesLeast: number;
  /** What else its curves say: the Universal Scalability Law, or the highest rate that was sustained. */
  readonly says?: 'scalability' | 'rate-held';
}

interface EqualRule {
  readonly rule: `F${number}`;
  readonly subject: string;
  /** No line where every target has the default. */
  readonly isWhereSet?: true;
  /** In optimized mode each target has its own best value, which is shown. */
  readonly isSearched?: true;
}

/** `--key`, of the commands that measure a grid of cells. */
interface LoadOption {
  /** What follows the option's name; null for a flag. */
  readonly argument: string | null;
  readonly meaning: string;
  /** Of its list of values; empty for a flag. */
  readonly accepts: string;
  /** Its values are numbers: ranges are read too. */
  readonly isNumeric?: true;
  /** The text that it has if it is not given; undefined: nothing. */
  readonly preset?: string;
  /** The default in words, if it is not a text that could be given. */
  readonly otherwise?: string;
  /** Only fair mode takes it. */
  readonly isOfFairMode?: true;
  /** In optimized mode it has one value. */
  readonly isOneInOptimizedMode?: true;
  /** An option's value that contradicts it. */
  readonly excludes?: { readonly option: string; readonly value: string; readonly why: string };
}

/** The target has it, and its name says it. */
export interface TargetPart {
  readonly kind: 'target';
  /** The settings with this one at a parsed value. */
  readonly apply: (settings: TargetSettings, value: string) => TargetSettings;
  /** A value in a target's name after `@`: `postgres-driver@tuned`. */
  readonly word: (value: string) => string;
  /** Whether the word is also accepted there, as a preset. */
  readonly isPreset: boolean;
}

/** A row of the load. */
export type LoadSetting = Setting & { readonly of: LoadPart };

export function isOfLoad(setting: Setting): setting is LoadSetting {
  return setting.of.kind === 'load';
}
