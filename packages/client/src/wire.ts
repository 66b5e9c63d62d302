/** What goes over the wire. Made from src/http/api/ of the service by "npm run docs"; do not edit by hand. */

/** Method and path of each operation, below the prefix. */
export const operations = {
  batch: 'POST /data/batch',
  getRecord: 'GET /data/:objectName/:objectId',
  select: 'POST /data/select/:objectName',
  count: 'POST /data/query/:objectName/count',
  anonymousToken: 'GET /anonymousTokens',
  registerDevice: 'POST /devices',
  authenticate: 'GET /auth/oidc/:provider/Authenticate',
  endProviderSession: 'GET /auth/oidc/:provider/EndSession',
  login: 'POST /auth/oidc/:provider/Login',
  localLogin: 'POST /auth/login',
  refresh: 'POST /auth/refresh',
  logout: 'POST /auth/logout',
  logoutEverywhere: 'POST /auth/logout/everywhere',
  getLogLevel: 'GET /logLevel',
  sendLog: 'POST /logs',
  describeTables: 'GET /schemas',
  definitionInfo: 'GET /schemas/info',
} as const;

/** What each operation takes and answers. */
export interface Operations {
  /** Add, update, delete and put records of several tables, all or nothing. */
  batch: {
    query: Record<never, never>;
    body: {
      /** Repeating a request with the same id never writes twice. */
      transactionId?: string;
      /** In the order in which they take effect; `batchItemsMax` items in all. */
      operations: {
        /** What is done. One of add, update, delete, put. */
        op: 'add' | 'update' | 'delete' | 'put';
        /** Table name. */
        objectName: string;
        /** Of a put: the columns of a unique index by which it finds records; objectId unless sent. */
        by?: string[];
        /** Records; items {objectId, serverUpdateTime} of a delete. */
        data: unknown[];
      }[];
    };
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, else what is wrong. */
      description: string | null;
      /** One for each item, in the order of the operations. */
      results: {
        /** Id of the record, '-1' for an item that failed. */
        objectId: string;
        /** ISO 8601 with offset; null when nothing was written. */
        serverCreateTime?: string | null;
        /** To be sent back with the next update or delete. */
        serverUpdateTime?: string | null;
        /** Of an item that failed. */
        errCode?: number;
        /** Of an item that failed. */
        description?: string;
        /** Of a put. One of added, updated. */
        outcome?: 'added' | 'updated';
      }[];
    };
  };
  /** Get one record by its id. */
  getRecord: {
    query: {
      /** 'typed': JSON of each type; strings otherwise. */
      values?: string;
    };
    body: undefined;
    answer: Record<string, Record<string, string | null>[]>;
  };
  /** Select values or records, row by row. */
  select: {
    query: Record<never, never>;
    body: {
      from: {
        /** Table name. */
        phyName: string;
        /** Alias of the table. */
        alias: string;
      };
      join?: {
        /** Table to join. */
        entity: string;
        /** Alias of the joined table. */
        entityAlias: string;
        expression: {
          /** Condition text: '#alias.column', '?' for a parameter, EXISTS and IN with a sub-query; see the expression language. */
          source: string;
          /** Values replacing each '?', in order. */
          params?: unknown[];
        };
        /** 'INNER JOIN', 'LEFT OUTER JOIN', 'RIGHT OUTER JOIN' or 'FULL OUTER JOIN'. */
        type: string;
      }[];
      where?: {
        expression: {
          /** Condition text: '#alias.column', '?' for a parameter, EXISTS and IN with a sub-query; see the expression language. */
          source: string;
          /** Values replacing each '?', in order. */
          params?: unknown[];
        };
      };
      orderBy?: {
        /** Column with its alias: '#alias.column'; where rows are grouped, the name of a value of `select`, or an expression about groups. */
        column: string;
        /** 'ASC' (default) or 'DESC'. */
        type?: string;
      }[];
      /** What a row holds; whole records under their aliases unless sent. */
      select?: {
        /** Name of the value in each row. */
        name: string;
        expression: {
          /** Condition text: '#alias.column', '?' for a parameter, EXISTS and IN with a sub-query; see the expression language. */
          source: string;
          /** Values replacing each '?', in order. */
          params?: unknown[];
        };
      }[];
      /** What the rows of a group have in common: names of values of `select`, or expressions without `?`. */
      groupBy?: string[];
      /** Condition on groups. */
      having?: {
        expression: {
          /** Condition text: '#alias.column', '?' for a parameter, EXISTS and IN with a sub-query; see the expression language. */
          source: string;
          /** Values replacing each '?', in order. */
          params?: unknown[];
        };
      };
      /** Answers rows of equal values once; not beside `groupBy`. */
      distinct?: boolean;
      range?: {
        /** Position of the first row, from 0. */
        offset?: number;
        /** Number of rows, 1 or more. */
        limit: number;
      };
      /** '' for the first page, `next` of the page before for the following one; needs `range.limit`. */
      after?: string;
      /** 'typed' (default): JSON of each type; 'text': strings, as in the other queries. */
      values?: string;
    };
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, else what is wrong. */
      description: string | null;
      /** One object per row: the selected values, or each alias with its record. */
      rows: Record<string, unknown>[];
      /** Where the next page begins; null for none. */
      next: string | null;
    };
  };
  /** Count the rows that a query matches. */
  count: {
    query: Record<never, never>;
    body: {
      from: {
        /** Table name. */
        phyName: string;
        /** Alias of the table. */
        alias: string;
      };
      join?: {
        /** Table to join. */
        entity: string;
        /** Alias of the joined table. */
        entityAlias: string;
        expression: {
          /** Condition text: '#alias.column', '?' for a parameter, EXISTS and IN with a sub-query; see the expression language. */
          source: string;
          /** Values replacing each '?', in order. */
          params?: unknown[];
        };
        /** 'INNER JOIN', 'LEFT OUTER JOIN', 'RIGHT OUTER JOIN' or 'FULL OUTER JOIN'. */
        type: string;
      }[];
      where?: {
        expression: {
          /** Condition text: '#alias.column', '?' for a parameter, EXISTS and IN with a sub-query; see the expression language. */
          source: string;
          /** Values replacing each '?', in order. */
          params?: unknown[];
        };
      };
      orderBy?: {
        /** Column with its alias: '#alias.column'. */
        column: string;
        /** 'ASC' (default) or 'DESC'. */
        type?: string;
      }[];
    };
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, else what is wrong. */
      description: string | null;
      /** How many rows match. */
      count: number;
    };
  };
  /** Get an anonymous token. */
  anonymousToken: {
    query: {
      /** Key of the application. */
      appKey: string;
      /** Device identifier, up to 200 characters. */
      deviceUDID: string;
    };
    body: undefined;
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, else what is wrong. */
      description: string | null;
      /** The token, 64 hex digits. */
      results: string;
    };
  };
  /** Register the device. */
  registerDevice: {
    query: Record<never, never>;
    body: {
      /** Push token of the device. */
      deviceToken?: string;
      /** Device identifier: the one that the anonymous token was asked for with. */
      deviceUDID: string;
      /** Name to show. */
      deviceName?: string;
      /** Operating system. */
      osType?: string;
    };
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, else what is wrong. */
      description: string | null;
    };
  };
  /** Get the provider's authentication address, in the header `Location`. */
  authenticate: {
    query: {
      /** Anonymous or user token. */
      authToken: string;
      /** Client id configured at the identity provider. */
      clientId: string;
    };
    body: undefined;
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, else what is wrong. */
      description: string | null;
    };
  };
  /** Answers the address at which the browser ends its session at the provider; null if the provider has none. Log out here as well. */
  endProviderSession: {
    query: {
      /** Client id configured at the identity provider. */
      clientId: string;
      /** Where the provider sends the browser then: of the same scheme, host and port as the client's redirect address. */
      postLogoutRedirectUri?: string;
    };
    body: undefined;
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, else what is wrong. */
      description: string | null;
      /** The address. */
      results: string | null;
    };
  };
  /** Sign in with the code of the provider. */
  login: {
    query: Record<never, never>;
    body: {
      /** Company of the user. */
      companyId: number;
      /** Application id. */
      appId: string;
      /** Application version, `1.0.0` or `1_0_0`. */
      appVersion: string;
      /** The anonymous token, the same as in the header. */
      authToken: string;
      /** Device identifier. */
      deviceUDID: string;
      /** 'true' or 'false'. */
      isPush: boolean;
      /** Client id configured at the identity provider. */
      clientId: string;
      /** Value of the query parameter `code` of the redirect address. */
      authzCode: string;
      /** SHA-1 of the anonymous token, in hexadecimal. */
      authnState: string;
      /** The `iss` response parameter, where the client forwards it. */
      iss?: string;
    };
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, else what is wrong. */
      description: string | null;
      authInfo: {
        /** User token used for later calls. */
        userTokens: string;
        /** Validity of the token in milliseconds, counted from the last use. */
        validTime: number;
        /** User id. */
        userId: number;
        userInfo: {
          /** Account name. */
          account: string;
          /** Given name (spelled so). */
          fistName: string;
          /** Family name. */
          lastName: string;
        };
        /** Every role that is held, in the order in which they were given. */
        groupsAndRoles: {
          /** Group id. */
          groupId: number;
          /** Name of the group. */
          groupName: string;
          /** Role that the user holds in it. */
          roleName: string;
          /** Id of that role. */
          roleId: number;
          /** What the role is for. */
          description: string;
        }[];
      };
      authInfor: {
        /** User token used for later calls. */
        userTokens: string;
        /** Validity of the token in milliseconds, counted from the last use. */
        validTime: number;
        /** User id. */
        userId: number;
        userInfo: {
          /** Account name. */
          account: string;
          /** Given name (spelled so). */
          fistName: string;
          /** Family name. */
          lastName: string;
        };
        /** Every role that is held, in the order in which they were given. */
        groupsAndRoles: {
          /** Group id. */
          groupId: number;
          /** Name of the group. */
          groupName: string;
          /** Role that the user holds in it. */
          roleName: string;
          /** Id of that role. */
          roleId: number;
          /** What the role is for. */
          description: string;
        }[];
      };
    };
  };
  /** Sign in with account and password, where the application allows it. */
  localLogin: {
    query: Record<never, never>;
    body: {
      /** Account. */
      username: string;
      /** Password of the account. */
      password: string;
      /** Company of the user. */
      companyId: number;
      /** Application id. */
      appId: string;
      /** Application version, `1.0.0` or `1_0_0`. */
      appVersion: string;
      /** Device identifier: the one that the anonymous token was asked for with. */
      deviceUDID: string;
      /** 'true' or 'false'. */
      isPush?: boolean;
    };
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, else what is wrong. */
      description: string | null;
      authInfo: {
        /** User token used for later calls. */
        userTokens: string;
        /** Validity of the token in milliseconds, counted from the last use. */
        validTime: number;
        /** User id. */
        userId: number;
        userInfo: {
          /** Account name. */
          account: string;
          /** Given name (spelled so). */
          fistName: string;
          /** Family name. */
          lastName: string;
        };
        /** Every role that is held, in the order in which they were given. */
        groupsAndRoles: {
          /** Group id. */
          groupId: number;
          /** Name of the group. */
          groupName: string;
          /** Role that the user holds in it. */
          roleName: string;
          /** Id of that role. */
          roleId: number;
          /** What the role is for. */
          description: string;
        }[];
      };
      authInfor: {
        /** User token used for later calls. */
        userTokens: string;
        /** Validity of the token in milliseconds, counted from the last use. */
        validTime: number;
        /** User id. */
        userId: number;
        userInfo: {
          /** Account name. */
          account: string;
          /** Given name (spelled so). */
          fistName: string;
          /** Family name. */
          lastName: string;
        };
        /** Every role that is held, in the order in which they were given. */
        groupsAndRoles: {
          /** Group id. */
          groupId: number;
          /** Name of the group. */
          groupName: string;
          /** Role that the user holds in it. */
          roleName: string;
          /** Id of that role. */
          roleId: number;
          /** What the role is for. */
          description: string;
        }[];
      };
    };
  };
  /** Get a new user token; the old one works for ten more seconds. */
  refresh: {
    query: Record<never, never>;
    body: undefined;
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, else what is wrong. */
      description: string | null;
      authInfo: {
        /** User token used for later calls. */
        userTokens: string;
        /** Validity of the token in milliseconds, counted from the last use. */
        validTime: number;
        /** User id. */
        userId: number;
        userInfo: {
          /** Account name. */
          account: string;
          /** Given name (spelled so). */
          fistName: string;
          /** Family name. */
          lastName: string;
        };
        /** Every role that is held, in the order in which they were given. */
        groupsAndRoles: {
          /** Group id. */
          groupId: number;
          /** Name of the group. */
          groupName: string;
          /** Role that the user holds in it. */
          roleName: string;
          /** Id of that role. */
          roleId: number;
          /** What the role is for. */
          description: string;
        }[];
      };
      authInfor: {
        /** User token used for later calls. */
        userTokens: string;
        /** Validity of the token in milliseconds, counted from the last use. */
        validTime: number;
        /** User id. */
        userId: number;
        userInfo: {
          /** Account name. */
          account: string;
          /** Given name (spelled so). */
          fistName: string;
          /** Family name. */
          lastName: string;
        };
        /** Every role that is held, in the order in which they were given. */
        groupsAndRoles: {
          /** Group id. */
          groupId: number;
          /** Name of the group. */
          groupName: string;
          /** Role that the user holds in it. */
          roleName: string;
          /** Id of that role. */
          roleId: number;
          /** What the role is for. */
          description: string;
        }[];
      };
    };
  };
  /** End the session. */
  logout: {
    query: Record<never, never>;
    body: undefined;
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, else what is wrong. */
      description: string | null;
    };
  };
  /** End every session of the user in the company, this one too. */
  logoutEverywhere: {
    query: Record<never, never>;
    body: undefined;
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, else what is wrong. */
      description: string | null;
      /** Sessions that ended. */
      count: number;
    };
  };
  /** The log level of the application version. */
  getLogLevel: {
    query: Record<never, never>;
    body: undefined;
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, else what is wrong. */
      description: string | null;
      /** 'ERROR' or 'MONITOR'. */
      result: string;
    };
  };
  /** Keep a log message. */
  sendLog: {
    query: Record<never, never>;
    body: {
      /** 'ERROR' or 'MONITOR'. */
      logLevel: string;
      /** Message content. */
      message?: string;
    };
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, else what is wrong. */
      description: string | null;
    };
  };
  /** The table definitions. */
  describeTables: {
    query: Record<never, never>;
    body: undefined;
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, else what is wrong. */
      description: string | null;
      /** Items {name, primary_key: "objectId", columns: [{colName, type, fieldLength, precision, scale, required, default, references, fullText}], indexes: [{columns, unique}], lockFree}. Types: varchar, text, integer, long, double, decimal, bool, datetime, json. */
      results: unknown[];
      /** The revision of the definition, counted up by each request that changes it. */
      revision: number;
    };
  };
  /** Which definition the tables have, for any user. */
  definitionInfo: {
    query: Record<never, never>;
    body: undefined;
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, else what is wrong. */
      description: string | null;
      results: {
        /** The revision of the definition, counted up by each request that changes it. */
        revision: number;
        /** SHA-256 of the definitions, in hexadecimal: another one where a table is another one. */
        hash: string;
        /** For how many days a transaction id is known. */
        historyDays: number;
      };
    };
  };
}
