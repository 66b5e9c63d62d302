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
        /** For a put: the columns of a unique index by which it finds records; objectId by default. */
        by?: string[];
        /** Records; for a delete, items {objectId, serverUpdateTime}. */
        data: unknown[];
      }[];
    };
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, otherwise an explanation. */
      description: string | null;
      /** One for each item, in the order of the operations. */
      results: {
        /** Id of the record, '-1' for an item that failed. */
        objectId: string;
        /** ISO 8601 with offset; null if nothing was written. */
        serverCreateTime?: string | null;
        /** Send it back with the next update or delete. */
        serverUpdateTime?: string | null;
        /** Only for a failed item. */
        errCode?: number;
        /** Only for a failed item. */
        description?: string;
        /** Of a put. One of added, updated. */
        outcome?: 'added' | 'updated';
      }[];
    };
  };
  /** Get one record by its id. */
  getRecord: {
    query: {
      /** 'typed': JSON of each type; by default strings. */
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
        /** Column with its alias: '#alias.column'; with groups, the name of a value of `select`, or an expression on groups. */
        column: string;
        /** 'ASC' (default) or 'DESC'. */
        type?: string;
      }[];
      /** The values of a row; by default whole records under their aliases. */
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
      /** The values that the rows of a group share: names of values of `select`, or expressions without `?`. */
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
      /** Answers equal rows once; not with `groupBy`. */
      distinct?: boolean;
      range?: {
        /** Position of the first row, from 0. */
        offset?: number;
        /** Number of rows, 1 or more. */
        limit: number;
      };
      /** '' for the first page, then `next` of the previous page; needs `range.limit`. */
      after?: string;
      /** 'typed' (default): JSON of each type; 'text': strings, as in the other queries. */
      values?: string;
    };
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, otherwise an explanation. */
      description: string | null;
      /** One object per row: the selected values, or each alias with its record. */
      rows: Record<string, unknown>[];
      /** The cursor of the next page; null if there is none. */
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
      /** Null on success, otherwise an explanation. */
      description: string | null;
      /** Number of matching rows. */
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
      /** Null on success, otherwise an explanation. */
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
      /** Device identifier, as in the request for the anonymous token. */
      deviceUDID: string;
      /** Display name. */
      deviceName?: string;
      /** Operating system. */
      osType?: string;
    };
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, otherwise an explanation. */
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
      /** Null on success, otherwise an explanation. */
      description: string | null;
    };
  };
  /** Answers the address at which the browser ends its session at the provider; null if the provider has none. Log out here as well. */
  endProviderSession: {
    query: {
      /** Client id configured at the identity provider. */
      clientId: string;
      /** The address to which the provider sends the browser afterwards; it must have the scheme, host and port of the client's redirect address. */
      postLogoutRedirectUri?: string;
    };
    body: undefined;
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, otherwise an explanation. */
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
      /** The response parameter `iss`, if the client forwards it. */
      iss?: string;
    };
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, otherwise an explanation. */
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
        /** Every role that the user holds, in the order in which they were given. */
        groupsAndRoles: {
          /** Group id. */
          groupId: number;
          /** Name of the group. */
          groupName: string;
          /** The role that the user holds there. */
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
        /** Every role that the user holds, in the order in which they were given. */
        groupsAndRoles: {
          /** Group id. */
          groupId: number;
          /** Name of the group. */
          groupName: string;
          /** The role that the user holds there. */
          roleName: string;
          /** Id of that role. */
          roleId: number;
          /** What the role is for. */
          description: string;
        }[];
      };
    };
  };
  /** Sign in with account and password, if the application allows it. */
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
      /** Device identifier, as in the request for the anonymous token. */
      deviceUDID: string;
      /** 'true' or 'false'. */
      isPush?: boolean;
    };
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, otherwise an explanation. */
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
        /** Every role that the user holds, in the order in which they were given. */
        groupsAndRoles: {
          /** Group id. */
          groupId: number;
          /** Name of the group. */
          groupName: string;
          /** The role that the user holds there. */
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
        /** Every role that the user holds, in the order in which they were given. */
        groupsAndRoles: {
          /** Group id. */
          groupId: number;
          /** Name of the group. */
          groupName: string;
          /** The role that the user holds there. */
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
      /** Null on success, otherwise an explanation. */
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
        /** Every role that the user holds, in the order in which they were given. */
        groupsAndRoles: {
          /** Group id. */
          groupId: number;
          /** Name of the group. */
          groupName: string;
          /** The role that the user holds there. */
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
        /** Every role that the user holds, in the order in which they were given. */
        groupsAndRoles: {
          /** Group id. */
          groupId: number;
          /** Name of the group. */
          groupName: string;
          /** The role that the user holds there. */
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
      /** Null on success, otherwise an explanation. */
      description: string | null;
    };
  };
  /** End every session of the user in the company, including this one. */
  logoutEverywhere: {
    query: Record<never, never>;
    body: undefined;
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, otherwise an explanation. */
      description: string | null;
      /** Sessions that ended. */
      count: number;
    };
  };
  /** Get the log level of the application version. */
  getLogLevel: {
    query: Record<never, never>;
    body: undefined;
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, otherwise an explanation. */
      description: string | null;
      /** 'ERROR' or 'MONITOR'. */
      result: string;
    };
  };
  /** Store a log message. */
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
      /** Null on success, otherwise an explanation. */
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
      /** Null on success, otherwise an explanation. */
      description: string | null;
      /** Items {name, primary_key: "objectId", columns: [{colName, type, fieldLength, precision, scale, required, default, references, fullText}], indexes: [{columns, unique}], lockFree}. Types: varchar, text, integer, long, double, decimal, bool, datetime, json. */
      results: unknown[];
      /** The revision of the definition; each request that changes it increments it. */
      revision: number;
    };
  };
  /** Get the revision and hash of the definition; any user may. */
  definitionInfo: {
    query: Record<never, never>;
    body: undefined;
    answer: {
      /** 0 on success, otherwise a code of the error catalogue. */
      errCode: number;
      /** 'OK', or 'error'. */
      status: string;
      /** Null on success, otherwise an explanation. */
      description: string | null;
      results: {
        /** The revision of the definition; each request that changes it increments it. */
        revision: number;
        /** SHA-256 of the definitions, in hexadecimal; it changes with every table. */
        hash: string;
        /** Days for which transaction ids are kept. */
        historyDays: number;
      };
    };
  };
}
