BEGIN TRANSACTION;
CREATE TABLE branches (
	garden TEXT NOT NULL,
	name TEXT NOT NULL,
	head BIGINT,
	parent TEXT,
	turn BIGINT NOT NULL,
	CONSTRAINT branches_key PRIMARY KEY (garden, name),
	CONSTRAINT branches_head FOREIGN KEY(garden, head) REFERENCES events (garden, seq),
	CONSTRAINT branches_garden FOREIGN KEY(garden) REFERENCES gardens (id)
);
INSERT INTO "branches" VALUES('box','main',8,NULL,0);
INSERT INTO "branches" VALUES('box','二度目',11,'main',2);
CREATE TABLE counters (
	name TEXT NOT NULL,
	value BIGINT NOT NULL,
	CONSTRAINT counters_key PRIMARY KEY (name)
);
INSERT INTO "counters" VALUES('events',11);
CREATE TABLE events (
	seq INTEGER NOT NULL,
	parent BIGINT,
	garden TEXT NOT NULL,
	branch TEXT NOT NULL,
	turn BIGINT NOT NULL,
	kind TEXT NOT NULL,
	origin TEXT NOT NULL,
	state_hash TEXT,
	row_hash TEXT NOT NULL,
	recorded_at TEXT NOT NULL,
	witnesses TEXT NOT NULL,
	payload TEXT NOT NULL,
	world_delta TEXT NOT NULL,
	CONSTRAINT events_key PRIMARY KEY (seq),
	CONSTRAINT events_of_garden UNIQUE (garden, seq),
	CONSTRAINT events_parent FOREIGN KEY(garden, parent) REFERENCES events (garden, seq),
	CONSTRAINT events_garden FOREIGN KEY(garden) REFERENCES gardens (id)
);
INSERT INTO "events" VALUES(1,NULL,'box','main',0,'opening','gm','589c5f49102950dd','f6ba36726e5f89ca14a4879532e18fb7a3d3c07b12b7fc4bf69461bf37f46c11','2026-11-16T00:06:26.547377+00:00','["楓","蓬"]','{"speaker":"user","text":"だれか、箱を見てみて"}','[]');
INSERT INTO "events" VALUES(2,1,'box','main',1,'turn','actor:楓',NULL,'755f1e84568ce757031cb0c0b490e29d356f2c5d97b2d60c2ca2c0e99e2407ec','2026-11-16T00:06:26.658562+00:00','["楓","蓬"]','{"number":1,"speaker":"楓","thought":{"text":"箱を開けたい。","beliefs":["蓬がここにいる","userが何か言っている","窓はclosed","箱はclosed"],"desires":[{"desire":"箱を開けたい","kind":"duty","score":0.8589}],"intention":"(OPEN: 箱)","means":"direct"},"take":{"performance":{"text":"(OPEN: 箱) 「よし、やるか。」","to":"蓬"},"ruling":{"parsed":{"speech":"よし、やるか。","action_intents":[{"intent":"USE","target":"箱","detail":"OPEN","verb":"OPEN"},{"intent":"ASK","target":"蓬","detail":"よし、やるか。"}],"addressee":"蓬"},"allowed":true,"fact_cards":["FACT: 楓は箱を開けた。","FACT: 部屋には窓、箱がある。"],"resolution":[{"written":"箱","resolved":"箱","how":"exact"}],"told":["楓は箱を開けた。"]},"sanitized":{"original_action":"OPEN: 箱","actions":["OPEN: 箱"]},"evaluation":{"checks_passed":["addressing","format","language","length","repetition","tone"]}},"deeds":[["OPEN","箱"]],"marks":["(OPEN: 箱)","ASK:よしやるか"],"mind":{"urgency":{"箱を開けたい":0.0},"mood":{"valence":0.22,"arousal":-0.05,"dominance":0.1},"inspected":["箱"],"last_acts":["(OPEN: 箱)"],"said":["箱を開けたい。","よし、やるか。"],"met":["蓬"]},"next_speaker":"蓬"}','[{"op":"replace","path":"/props/箱/state","value":["open"]},{"op":"add","path":"/events","value":["楓は箱を開けた。"]},{"op":"add","path":"/events/-","value":"楓が蓬に尋ねた: よし、やるか。"}]');
INSERT INTO "events" VALUES(3,2,'box','main',1,'clock','gm','27e17c167e32ef5b','a26e80cbe95e97d906c2a870027c73c707b53a35e529524f0deb29ac9e7c1ca0','2026-11-16T00:06:26.658562+00:00','["楓","蓬"]','{}','[{"op":"replace","path":"/time/turn","value":1}]');
INSERT INTO "events" VALUES(4,3,'box','main',2,'turn','actor:蓬',NULL,'f8a03710ceca18e862ae6ee470e14f36e983e297efee614505adac8af073e083','2026-11-16T00:06:26.691582+00:00','["楓","蓬"]','{"number":2,"speaker":"蓬","thought":{"text":"……今は急ぐことがない。","beliefs":["楓がここにいる","userが何か言っている","楓が何か言っている","窓はclosed","箱はopen"],"desires":[{"desire":"箱を開けたい","kind":"duty","score":0.8123}],"means":"idle"},"take":{"performance":{"text":"（……）"},"ruling":{"parsed":{"action_intents":[{"intent":"EMOTE","detail":"……"}],"directions":["……"]},"allowed":true,"stall_score":0.0667},"sanitized":{"original_action":"……","actions":["……"]},"evaluation":{"checks_passed":["addressing","format","language","length","repetition","tone"]}},"mind":{"urgency":{"箱を開けたい":0.95},"resting":{"箱を開けたい":4},"said":["……今は急ぐことがない。"]},"next_speaker":"楓"}','[]');
INSERT INTO "events" VALUES(5,4,'box','main',2,'clock','gm','27e17c167e32ef5b','a2ba9ae38e5b13fe27f60ccf9441333e323eee8aa42811ae3de716b7444fd169','2026-11-16T00:06:26.691582+00:00','["楓","蓬"]','{}','[{"op":"replace","path":"/time/turn","value":2}]');
INSERT INTO "events" VALUES(6,5,'box','main',3,'turn','actor:楓',NULL,'966d5c64107ed278d4a26fef1187df89f57efff50a4db89099f07f65fbacad91','2026-11-16T00:06:26.698972+00:00','["楓","蓬"]','{"number":3,"speaker":"楓","thought":{"text":"……今は急ぐことがない。","beliefs":["蓬がここにいる","窓はclosed","箱はopen"],"desires":[{"desire":"箱を開けたい","kind":"duty","score":0.0471}],"means":"idle"},"take":{"performance":{"text":"（……）"},"ruling":{"parsed":{"action_intents":[{"intent":"EMOTE","detail":"……"}],"directions":["……"]},"allowed":true,"stall_score":0.1167},"sanitized":{"original_action":"……","actions":["……"]},"evaluation":{"checks_passed":["addressing","format","language","length","repetition","tone"]}},"mind":{"urgency":{"箱を開けたい":0.05},"resting":{"箱を開けたい":5},"mood":{"valence":0.202,"arousal":-0.035,"dominance":0.085},"inspected":["箱"],"last_acts":["(OPEN: 箱)"],"said":["箱を開けたい。","よし、やるか。","……今は急ぐことがない。"],"met":["蓬"]},"next_speaker":"蓬"}','[]');
INSERT INTO "events" VALUES(7,6,'box','main',3,'clock','gm','27e17c167e32ef5b','c3faf4b75e6050005078ab9de135977921347d677bf1a3c29c612d8d8ded0292','2026-11-16T00:06:26.698972+00:00','["楓","蓬"]','{}','[{"op":"replace","path":"/time/turn","value":3}]');
INSERT INTO "events" VALUES(8,5,'box','main',2,'undo','user','27e17c167e32ef5b','73ec04605629b0853dcac7a80f6a54e2743c25b11558f75bf79c198a49313f47','2026-11-16T00:06:26.707412+00:00','[]','{"turns":1}','[]');
INSERT INTO "events" VALUES(9,8,'box','二度目',3,'turn','actor:楓',NULL,'120977637ca3a9e4f019c16f32d658a4880bfcf8394e3d216afbc42321ef3730','2026-11-16T00:06:26.716498+00:00','["楓","蓬"]','{"number":3,"speaker":"楓","thought":{"text":"……今は急ぐことがない。","beliefs":["蓬がここにいる","窓はclosed","箱はopen"],"desires":[{"desire":"箱を開けたい","kind":"duty","score":0.0456}],"means":"idle"},"take":{"performance":{"text":"（……）"},"ruling":{"parsed":{"action_intents":[{"intent":"EMOTE","detail":"……"}],"directions":["……"]},"allowed":true,"stall_score":0.1167},"sanitized":{"original_action":"……","actions":["……"]},"evaluation":{"checks_passed":["addressing","format","language","length","repetition","tone"]}},"mind":{"urgency":{"箱を開けたい":0.05},"resting":{"箱を開けたい":5},"mood":{"valence":0.202,"arousal":-0.035,"dominance":0.085},"inspected":["箱"],"last_acts":["(OPEN: 箱)"],"said":["箱を開けたい。","よし、やるか。","……今は急ぐことがない。"],"met":["蓬"]},"next_speaker":"蓬"}','[]');
INSERT INTO "events" VALUES(10,9,'box','二度目',3,'clock','gm','27e17c167e32ef5b','a1969b2211f369742a8639a7dbca3c1262195a9a27814e416052ce0fd9a090b5','2026-11-16T00:06:26.716498+00:00','["楓","蓬"]','{}','[{"op":"replace","path":"/time/turn","value":3}]');
INSERT INTO "events" VALUES(11,10,'box','二度目',3,'user','user','27e17c167e32ef5b','13698884560f92bcc40f5829933b2baf81c56f70cf74267ec383502f23e7ac94','2026-11-16T00:06:26.720182+00:00','["楓","蓬"]','{"speaker":"user","text":"だれか、窓を開けて"}','[]');
CREATE TABLE gardens (
	id TEXT NOT NULL,
	seed BIGINT NOT NULL,
	scenario TEXT NOT NULL,
	sheets TEXT NOT NULL,
	settings TEXT NOT NULL,
	created_at TEXT NOT NULL,
	CONSTRAINT gardens_key PRIMARY KEY (id)
);
INSERT INTO "gardens" VALUES('box',7,'{"id":"box","title":"箱のある部屋","description":"箱がひとつ。","turns":4,"world":{"location":{"current":"部屋"},"locations":{"部屋":{"exits":{"庭":{}}},"庭":{"exits":{"部屋":{}}}},"characters":{"楓":{"location":"部屋"},"蓬":{"location":"部屋"}},"props":{"箱":{"state":["closed"],"fixed":true,"container":true,"location":"部屋"},"窓":{"state":["closed"],"affordances":[{"verb":"開ける"},{"verb":"閉める"}],"fixed":true,"location":"部屋"}}},"cast":{"楓":{"sheet":"kaede"},"蓬":{"sheet":"yomogi"}},"opening":{"text":"だれか、箱を見てみて"},"incidents":[{"id":"wind","text":"風が吹いた。","once":false}]}','{"楓":{"display_name":"楓","persona":"楓は箱が気になる。","desires":[{"name":"箱を開けたい","kind":"duty","strength":0.9,"urgency":0.9,"goal":{"did":{"verb":"開ける","target":["箱"]}}}],"phrasebook":{"do":{"*":["よし、やるか。"]}}},"蓬":{"display_name":"蓬","persona":"蓬は箱が気になる。","desires":[{"name":"箱を開けたい","kind":"duty","strength":0.9,"urgency":0.9,"goal":{"did":{"verb":"開ける","target":["箱"]}}}],"phrasebook":{"do":{"*":["よし、やるか。"]}}}}','{}','2026-11-16T00:06:26.537279+00:00');
CREATE TABLE journal_revision (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT journal_revision_pkc PRIMARY KEY (version_num)
);
INSERT INTO "journal_revision" VALUES('0001');
COMMIT;
