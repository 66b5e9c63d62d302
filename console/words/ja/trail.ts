/** Texts on client logs and the audit trail, in Japanese. */
import type { trail as english } from '../en/trail.ts';
import type { Translated } from '../en.ts';

export const trail: Translated<typeof english> = {
  logs: {
    title: (appId) => `${appId}のクライアントログ`,
    what: 'このアプリケーションのクライアントが送ったものを、新しい順に並べます。',
    none: 'ログがまだありません',
    noneAdvice: 'バージョンのレベルに応じて、クライアントが POST /logs で送ります。',
    time: '時刻',
    level: 'レベル',
    version: 'バージョン',
    user: 'ユーザー',
    userId: 'ユーザー番号',
    device: '端末',
    message: 'メッセージ',
    entry: (id) => `ログ ${id}`,
    follow: '自動更新（3秒ごと）',
    export: 'エクスポート（JSON Lines）',
    levels: 'ログレベル',
    levelsWhat: '各バージョンのクライアントが送るログ。ERRORはエラーのみ、MONITORはすべて。',
    levelSet: (version, level) => `${version}のクライアントは${level}を送ります`,
  },

  audit: {
    title: '監査証跡',
    what: 'この会社での管理操作とサインインのすべてを、新しい順に並べます。',
    whatInstallation: 'システム全体の管理操作とサインインのすべてを、新しい順に並べます。',
    none: '記録はありません',
    time: '時刻',
    actor: '実行者',
    actorKind: '実行者の種類',
    kinds: { administrator: '管理者', user: 'ユーザー', operator: 'オペレーター', nobody: '未サインイン' },
    account: 'アカウント',
    action: '操作',
    target: '対象',
    outcome: '結果',
    outcomes: { done: '実行', refused: '拒否' },
    address: 'アドレス',
    company: '会社',
    application: 'アプリケーション',
    detail: '詳細',
    exportLines: 'エクスポート（JSON Lines）',
    exportCsv: 'エクスポート（CSV）',
  },
};
