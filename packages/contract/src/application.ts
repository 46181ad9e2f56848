import { z } from 'zod';

/** `POST /orders/{id}`: a method, and a path in which the names of arguments stand for their values. */
const requestLine = z
  .string()
  .regex(/^(GET|POST|PUT|PATCH|DELETE) \/\S*$/, 'a method and a path, as "POST /orders/{id}"');

/** A place in a JSON value: names by dots, `order.total`. */
const jsonPath = z.string().min(1);

/** How an operation is a request to an application of the user's, and its reply an outcome. */
const applicationOperationSchema = z.strictObject({
  request: requestLine,
  /** Field of the body → argument. By default the arguments that are not in the path, under their names. */
  body: z.record(z.string(), z.string()).nullable().default(null),
  /** What the operation returns → its place in the reply. By default its own name. */
  reply: z.record(z.string(), jsonPath).default({}),
  /** Of an operation that returns several rows or records: where their array is. By default the reply is the array. */
  rows: jsonPath.nullable().default(null),
  /** Where a reply with a status of 4xx has the reason. */
  reason: jsonPath.default('error'),
  /** The application's word for a reason → the workload's. Others are the same. */
  reasons: z.record(z.string(), z.string()).default({}),
});
export type ApplicationOperation = z.infer<typeof applicationOperationSchema>;

/** An application of the user's in front of a database: what is measured is what ships. */
export const applicationSchema = z
  .strictObject({
    /** Starts it, by a shell. It listens at the port in the variable PORT; absent where it runs already, at `url`. */
    command: z.string().min(1).optional(),
    /** Where the command runs; of a path in a configuration, from the folder of that file. */
    directory: z.string().default('.'),
    /** Beside the environment of the runner; `{url}` is the database's URL, `{port}` the port to listen at. No secrets: a run's plan has them. */
    env: z.record(z.string(), z.string()).default({}),
    /** Where it is, if it runs already. */
    url: z
      .url({ protocol: /^https?$/ })
      .refine(
        (url) => new URL(url).password === '' && new URL(url).pathname === '/',
        'a URL without a password and a path, as http://127.0.0.1:3000',
      )
      .optional(),
    /** A path that answers a GET with 200 once it is ready. */
    health: z.string().regex(/^\//, 'a path, as /healthz').default('/'),
    /** By the workload's operations; a request line alone has all defaults. */
    operations: z.record(
      z.string(),
      z.union([
        requestLine.transform((request) => applicationOperationSchema.parse({ request })),
        applicationOperationSchema,
      ]),
    ),
  })
  .refine(
    ({ command, url }) => (command === undefined) !== (url === undefined),
    'accepts either command, or url of one that runs',
  );
export type Application = z.infer<typeof applicationSchema>;
