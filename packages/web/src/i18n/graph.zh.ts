import type { graphEn } from "./graph.en.ts"

export const graphZh: Record<keyof typeof graphEn, string> = {
  "graph.empty": "还没有可以连接的任务",
  "graph.emptyLead": "提案获批后，它的任务及其依赖会画在这里。",
  "graph.emptyAction": "查看提案",
  "graph.legend": "图例",
  "graph.critical": "关键路径",
  "graph.criticalWeight": "关键路径还剩 {count} 小时",
  "graph.ready": "可以开始",
  "graph.fit": "显示全部",
  "graph.zoomIn": "放大",
  "graph.zoomOut": "缩小",
  "graph.map": "图的缩略图",
  "graph.canvas": "{count} 个任务的依赖图",
  "graph.waitsFor": "等待",
  "graph.neededBy": "被需要于",
  "graph.nothing": "无",
  "graph.openTask": "打开任务",
  "graph.contract": "依赖于：{contract}",
  "graph.scope": "任务来自",
  "graph.scopeAll": "所有提案",
  "graph.blocked": "被 {names} 阻塞",
}
