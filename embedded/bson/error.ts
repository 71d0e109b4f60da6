/** MongoDB's error codes that this engine raises, by the names that drivers and users know. */
const CODES = {
  InternalError: 1,
  BadValue: 2,
  FailedToParse: 9,
  Unauthorized: 13,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  IllegalOperation: 20,
  CursorNotFound: 43,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  CannotBackfillArray: 34,
  ConflictingUpdateOperators: 40,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  NotSingleValueField: 54,
  EmptyFieldName: 56,
  DottedFieldName: 57,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  OperationFailed: 96,
  WriteConflict: 112,
  CommandNotSupported: 115,
  DocumentValidationFailure: 121,
  ExceededMemoryLimit: 146,
  InvalidPipelineOperator: 168,
  CannotIndexParallelArrays: 171,
  QueryFeatureNotAllowed: 224,
  NotImplemented: 238,
  ConversionFailure: 241,
  DataCorruptionDetected: 365,
  InvalidBSON: 22,
  DuplicateKey: 11000,
  Interrupted: 11601,
  OutOfDiskSpace: 14031,
  BSONObjectTooLarge: 10334,
} as const satisfies Record<string, number>;

type CodeName = keyof typeof CODES;

/** A command error with MongoDB's code. Drivers and users distinguish errors by `code`, never by the message. */
export class ServerError extends Error {
  readonly code: number;
  readonly codeName: string;

  /**
   * @param code a name from the table, or a bare location code where the real engine has one
   * @param details further members of the reply, such as keyPattern and keyValue
   */
  constructor(
    code: CodeName | number,
    message: string,
    readonly details?: Readonly<Record<string, unknown>>,
  ) {
    super(message);
    this.name = 'ServerError';
    this.code = typeof code === 'number' ? code : CODES[code];
    this.codeName = typeof code === 'number' ? `Location${code}` : code;
  }
}

export const badValue = (message: string): ServerError => new ServerError('BadValue', message);
export const failedToParse = (message: string): ServerError => new ServerError('FailedToParse', message);
export const typeMismatch = (message: string): ServerError => new ServerError('TypeMismatch', message);
