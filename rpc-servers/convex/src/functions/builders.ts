import {
  httpActionGeneric,
  internalMutationGeneric,
  internalQueryGeneric,
  mutationGeneric,
  type DataModelFromSchemaDefinition,
  type DocumentByName,
  type GenericMutationCtx,
  type GenericQueryCtx,
  type MutationBuilder,
  type QueryBuilder,
} from 'convex/server';
import type schema from './schema.ts';

/** Typed by the schema here, so that nothing has to be generated before the functions can be used. */
export type DataModel = DataModelFromSchemaDefinition<typeof schema>;
export type Account = DocumentByName<DataModel, 'accounts'>;
export type QueryCtx = GenericQueryCtx<DataModel>;
export type MutationCtx = GenericMutationCtx<DataModel>;

export const mutation: MutationBuilder<DataModel, 'public'> = mutationGeneric;
export const internalQuery: QueryBuilder<DataModel, 'internal'> = internalQueryGeneric;
export const internalMutation: MutationBuilder<DataModel, 'internal'> = internalMutationGeneric;
export const httpAction = httpActionGeneric;
