"""Tests of lists_client: against a scripted server, and against a real listsd where there is one.

    python3 -m unittest discover -s Clients/Python -p '*_test.py'

LISTSD names the program; without it the debug build's is used.
"""

import datetime
import json
import logging
import os
import pathlib
import socket
import subprocess
import tempfile
import threading
import unittest

import lists_client
from lists_client import ConnectionLost, ListsClient, ReplyTooLarge, ServiceError, Unreachable

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTSD = os.environ.get("LISTSD") or str(ROOT / ".build/debug/listsd")
PATIENCE = 30


class ScriptedServer:
    """The service's end of a connection, run by a function on a thread of its own."""

    def __init__(self, script, connection=None):
        if connection is None:
            self.client_end, connection = socket.socketpair()
        connection.settimeout(PATIENCE)
        self._file = connection.makefile("rwb")
        self._connection = connection
        self.error = None
        self._thread = threading.Thread(target=self._run, args=(script,), daemon=True)
        self._thread.start()

    def _run(self, script):
        try:
            script(self)
        except Exception as error:  # Told to the test by `finish`.
            self.error = error
        finally:
            self._file.close()
            self._connection.close()

    def finish(self):
        self._thread.join(PATIENCE)
        if self.error:
            raise self.error

    def receive(self):
        line = self._file.readline()
        return json.loads(line) if line else None

    def send(self, message):
        data = message if isinstance(message, bytes) else json.dumps(message, separators=(",", ":")).encode()
        self._file.write(data + b"\n")
        self._file.flush()

    def reply(self, number, result):
        self.send({"jsonrpc": "2.0", "id": number, "result": result})

    def push(self, subscription, token, changes=(), **more):
        params = {"subscriptionID": subscription, "seq": 1, "changeToken": token, "changes": list(changes), **more}
        self.send({"jsonrpc": "2.0", "method": "recordsChanged", "params": params})


def client_of(server, **options):
    return ListsClient(connection=server.client_end, timeout=PATIENCE, **options)


class CallTests(unittest.TestCase):
    def test_replies_in_reverse_order_reach_the_threads_that_called(self):
        def script(server):
            requests = [server.receive() for _ in range(100)]
            for request in reversed(requests):
                server.reply(request["id"], request["params"])

        server = ScriptedServer(script)
        answers = {}
        with client_of(server) as client:
            def call(number):
                answers[number] = client.call("echo", [number, "x" * number * 97])[0]

            threads = [threading.Thread(target=call, args=(number,)) for number in range(100)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(PATIENCE)
        self.assertEqual(answers, {number: number for number in range(100)})
        server.finish()

    def test_unknown_ids_and_ids_of_another_type_answer_nobody_and_are_logged(self):
        def script(server):
            number = server.receive()["id"]
            for other in (99, str(number), float(number), True, None, [number]):
                server.reply(other, "wrong")
            server.send(b"not JSON")
            server.push("7", "t")
            server.reply(number, "right")

        server = ScriptedServer(script)
        with client_of(server) as client, self.assertLogs("lists_client", logging.WARNING) as log:
            self.assertEqual(client.call("echo"), "right")
        self.assertEqual(len(log.records), 8)
        server.finish()

    def test_a_reply_of_many_megabytes_arrives_and_one_beyond_the_limit_fails_its_call_only(self):
        def script(server):
            for size in (19 << 20, 21 << 20, 1):
                server.reply(server.receive()["id"], "y" * size)

        server = ScriptedServer(script)
        with client_of(server, maximum_message_bytes=20 << 20) as client:
            self.assertEqual(len(client.call("echo")), 19 << 20)
            with self.assertRaisesRegex(ReplyTooLarge, "too large"):
                client.call("echo")
            self.assertEqual(client.call("echo"), "y")
        server.finish()

    def test_an_error_without_an_id_is_for_the_oldest_call_that_is_not_answered(self):
        refusal = {"code": -32004, "message": "Too large.", "data": {"errorCode": "limitExceeded"}}

        def script(server):
            given_up = server.receive()["id"]
            for _ in range(2):
                number = server.receive()["id"]
                server.send({"jsonrpc": "2.0", "id": None, "error": refusal})
                server.reply(number, "right")
            self.assertEqual(given_up, 1)

        server = ScriptedServer(script)
        with client_of(server) as client:
            with self.assertRaises(lists_client.CallTimeout):
                client.call("echo", timeout=0.01)
            # The first refusal is for the call that nobody waits for any longer.
            self.assertEqual(client.call("echo"), "right")
            with self.assertRaisesRegex(ServiceError, "Too large"):
                client.call("echo")
        server.finish()

    def test_an_error_is_raised_with_its_name_and_data(self):
        def script(server):
            data = {"errorCode": "storeBusy", "retryAfter": 0.5}
            error = {"code": -32012, "message": "Busy.", "data": data}
            server.send({"jsonrpc": "2.0", "id": server.receive()["id"], "error": error})

        server = ScriptedServer(script)
        with client_of(server) as client, self.assertRaises(ServiceError) as caught:
            client.fetch_record("a")
        self.assertEqual(str(caught.exception), "Busy.")
        self.assertEqual(
            (caught.exception.code, caught.exception.error_code, caught.exception.retry_after),
            (-32012, "storeBusy", 0.5))

    def test_a_lost_connection_fails_the_call_that_waits_and_those_after_it(self):
        server = ScriptedServer(lambda server: server.receive())
        with client_of(server) as client:
            for _ in range(2):
                with self.assertRaises(ConnectionLost):
                    client.call("echo")

    def test_a_query_follows_its_cursor_to_its_limit(self):
        asked = []

        def script(server):
            while request := server.receive():
                params = request["params"]
                asked.append((params["resultsLimit"], params.get("cursor")))
                start = int(params.get("cursor", 0))
                records = [{"recordName": str(start + n)} for n in range(min(2, params["resultsLimit"]))]
                server.reply(request["id"], {"records": records, "cursor": str(start + 2), "changeToken": "t"})

        server = ScriptedServer(script)
        with client_of(server) as client:
            records = list(client.query("Item", sort=["-name"], limit=5, page_size=2))
        self.assertEqual([record["recordName"] for record in records], ["0", "1", "2", "3", "4"])
        self.assertEqual(asked, [(2, None), (2, "2"), (1, "4")])

    def test_one_key_alone_is_a_list_of_it(self):
        requests = []

        def script(server):
            for _ in range(4):
                request = server.receive()
                requests.append(request["params"])
                server.reply(request["id"], {"records": [], "groups": [], "recordType": {}, "subscriptionID": "s",
                                             "changeToken": "t"})

        server = ScriptedServer(script)
        with client_of(server) as client:
            client.query_page("Item", sort="-name", keys="name", include="list")
            client.aggregate("Item", "count", group_by="list")
            client.save_record_type("Item", indexes=["name", ("list", "name")])
            client.query_page("Item", sort={"key": "name", "collation": "localized"}, sort_by=None)
        server.finish()
        page, figures, declared, descriptor = requests
        self.assertEqual(page["sortDescriptors"], [{"key": "name", "ascending": False}])
        self.assertEqual((page["desiredKeys"], page["include"]), (["name"], ["list"]))
        self.assertEqual(figures["aggregates"], [{"function": "count", "name": "count"}])
        self.assertEqual(figures["groupBy"], ["list"])
        self.assertEqual(declared["recordType"]["indexes"], [{"keys": ["name"]}, {"keys": ["list", "name"]}])
        self.assertEqual(descriptor["sortDescriptors"], [{"key": "name", "collation": "localized"}])

    def test_a_text_is_no_list_of_characters(self):
        with client_of(ScriptedServer(lambda server: server.receive())) as client:
            for call in (
                lambda: client.query_page("Item", "name = %@", "milk"), lambda: client.fetch_records("milk"),
                lambda: client.count("Item", "name = %@", "milk"), lambda: client.modify_records({"a": 1}),
                lambda: client.save_record_type("Item", indexes="name"),
                lambda: client.subscribe("Item", "name = %@", "milk"),
            ):
                with self.assertRaisesRegex(TypeError, "takes a list: "):
                    call()

    def test_dates_bytes_and_references_have_their_form_on_the_wire(self):
        server = ScriptedServer(lambda server: server.reply((request := server.receive())["id"], request["params"]))
        moment = datetime.datetime(2026, 12, 1, 10, 30, 0, 123999, datetime.timezone(datetime.timedelta(hours=1)))
        with client_of(server) as client:
            echo = client.call("echo", {"due": moment, "key": b"hello", "owner": lists_client.reference("a")})
        self.assertEqual(
            echo,
            {"due": {"$date": "2026-12-01T09:30:00.123Z"}, "key": {"$bytes": "aGVsbG8="},
             "owner": {"$reference": {"recordName": "a", "action": "none"}}})


class SubscriptionTests(unittest.TestCase):
    def test_pushes_right_behind_the_reply_are_not_lost_and_not_taken_for_replies(self):
        def script(server):
            server.reply(server.receive()["id"], {"subscriptionID": "1", "changeToken": "0"})
            for number in range(50):
                server.push("1", str(number), [{"reason": "created", "recordName": str(number)}])
            call = server.receive()
            server.push("1", "50", [{"reason": "created", "recordName": "50"}])
            server.reply(call["id"], "reply")
            server.receive()

        server = ScriptedServer(script)
        with client_of(server) as client:
            changes = client.subscribe("Item")
            self.assertEqual(client.call("echo"), "reply")
            names = [next(changes)["recordName"] for _ in range(51)]
        self.assertEqual(names, [str(number) for number in range(51)])

    def test_a_slow_reader_reads_on_from_its_last_token(self):
        full = threading.Event()

        def script(server):
            server.reply(server.receive()["id"], {"subscriptionID": "1", "changeToken": "0"})
            for number in range(1, 11):
                server.push("1", str(number), [{"reason": "created", "recordName": str(number)}])
            server.reply(server.receive()["id"], None)
            full.set()
            request = server.receive()
            assert request["method"] == "unsubscribe", request
            server.reply(request["id"], {"subscriptionID": "1"})
            request = server.receive()
            assert request["params"]["since"] == "3", request
            server.reply(request["id"], {"subscriptionID": "2", "changeToken": "10"})
            server.push("2", "10", [{"reason": "created", "recordName": "4..10"}])
            server.receive()

        server = ScriptedServer(script)
        with client_of(server) as client:
            changes = client.subscribe("Item", buffered_pushes=3)
            client.call("echo")
            full.wait(PATIENCE)
            names = [next(changes)["recordName"] for _ in range(4)]
        self.assertEqual(names, ["1", "2", "3", "4..10"])
        server.finish()

    def test_after_a_restart_a_subscription_goes_on_and_an_expired_token_is_not_tried_twice(self):
        def first(server):
            server.reply(server.receive()["id"], {"subscriptionID": "1", "changeToken": "a"})
            server.push("1", "b", [{"reason": "created", "recordName": "x"}], initial=True)

        def second(server):
            request = server.receive()
            assert request["params"]["since"] == "b", request
            data = {"errorCode": "changeTokenExpired", "changeToken": "f"}
            server.send(
                {"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32005, "message": "", "data": data}})
            request = server.receive()
            assert "since" not in request["params"] and request["params"]["sendInitial"], request
            server.reply(request["id"], {"subscriptionID": "2", "changeToken": "f"})
            server.push("2", "g", [{"reason": "created", "recordName": "y"}], initial=True)
            server.receive()

        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
            path = folder + "/s"
            listener.bind(path)
            listener.listen()
            errors = []

            def serve():
                for script in (first, second):
                    server = ScriptedServer(script, listener.accept()[0])
                    try:
                        server.finish()
                    except Exception as error:
                        errors.append(error)

            threading.Thread(target=serve, daemon=True).start()
            with ListsClient(path, timeout=PATIENCE) as client:
                changes = client.subscribe("Item", initial=True)
                seen = [(change["reason"], change.get("recordName")) for _, change in zip(range(3), changes)]
            self.assertEqual(errors, [])
        self.assertEqual(seen, [("created", "x"), ("reset", None), ("created", "y")])

    def test_the_services_reason_ends_the_iteration_as_an_error(self):
        def script(server):
            server.reply(server.receive()["id"], {"subscriptionID": "1", "changeToken": "a"})
            error = {"code": -32009, "message": "Gone.", "data": {"errorCode": "zoneNotFound"}}
            server.send({
                "jsonrpc": "2.0", "method": "subscriptionEnded", "params": {"subscriptionID": "1", "error": error}})
            server.receive()

        server = ScriptedServer(script)
        with client_of(server) as client, self.assertRaises(ServiceError) as caught:
            next(client.subscribe("Item"))
        self.assertEqual(caught.exception.error_code, "zoneNotFound")


class LiveTests(unittest.TestCase):
    """What a subscription's pushes make of what a program holds, over several connections."""

    EXPIRED = {"code": -32005, "message": "", "data": {"errorCode": "changeTokenExpired", "changeToken": "f"}}

    @staticmethod
    def change(name, reason="created", **more):
        record = {"recordName": name, "zoneName": "_defaultZone", "fields": {}}
        return {"reason": reason, "recordName": name, "zoneName": "_defaultZone", "record": record, **more}

    def serve(self, *scripts):
        """A client of a service that runs one script after another, each with the next connection."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        path = folder.name + "/s"
        listener.bind(path)
        listener.listen()
        errors = []

        def run():
            for script in scripts:
                try:
                    ScriptedServer(script, listener.accept()[0]).finish()
                except Exception as error:
                    errors.append(error)

        threading.Thread(target=run, daemon=True).start()
        client = ListsClient(path, timeout=PATIENCE)
        self.addCleanup(lambda: self.assertEqual(errors, []))
        self.addCleanup(client.close)
        return client

    @staticmethod
    def subscribed(server, **expected):
        request = server.receive()
        assert request["method"] == "subscribe", request
        given = {key: request["params"].get(key) for key in expected}
        assert given == expected, request
        server.reply(request["id"], {"subscriptionID": "s", "changeToken": "0"})

    def test_an_expired_token_brings_everything_anew_and_what_is_gone_is_found(self):
        def script(server):
            request = server.receive()
            assert request["params"]["since"] == "old", request
            server.send({"jsonrpc": "2.0", "id": request["id"], "error": self.EXPIRED})
            self.subscribed(server, since=None, sendInitial=True)
            server.push("s", "7", [self.change("a")], initial=True, moreComing=True)
            server.push("s", "7", [self.change("b")], initial=True)
            server.push("s", "8", [self.change("a", "deleted")])
            server.receive()

        held = [self.change(name)["record"] for name in ("a", "gone")]
        client = self.serve(script)
        records = lists_client.LiveRecords(client.subscribe("Item", since="old", initial=True), held)
        updates = iter(records)
        self.assertEqual(next(updates), ([], []))  # the reset
        self.assertEqual(next(updates), ([], []))
        changed, gone = next(updates)
        self.assertEqual(([record["recordName"] for record in changed], gone), (["b"], [("gone", "_defaultZone")]))
        self.assertEqual(next(updates), ([], [("a", "_defaultZone")]))
        self.assertEqual(list(records.records), [("b", "_defaultZone")])

    def test_after_a_resync_the_records_that_follow_by_themselves_are_taken(self):
        def script(server):
            self.subscribed(server, sendInitial=True)
            server.push("s", "1", [self.change("a")], initial=True)
            server.push("s", "5", resync=True)
            server.push("s", "5", [self.change("b")], initial=True)
            assert server.receive() is None

        changes = self.serve(script).subscribe("Item", initial=True)
        seen = [(change["reason"], change.get("recordName")) for _, change in zip(range(3), changes)]
        self.assertEqual(seen, [("created", "a"), ("reset", None), ("created", "b")])

    def test_what_becomes_of_initial_records_before_all_are_told_is_a_part_of_the_beginning(self):
        def pages(server, last):
            first = [self.change("a"), self.change("b"), self.change("c")]
            server.push("s", "p", first, initial=True, moreComing=True)
            between = [self.change("a", "updated", changedKeys=["n"]), self.change("b", "deleted")]
            server.push("s", "p", between, initial=True, moreComing=True)
            server.push("s", "p", [self.change("c", "left")], initial=True, moreComing=True)
            if last:
                server.push("s", "9", [self.change("d")], initial=True)

        def first(server):
            self.subscribed(server, sendInitial=True)
            pages(server, last=False)

        def second(server):
            self.subscribed(server, since=None, sendInitial=True)
            pages(server, last=True)
            server.push("s", "10", [self.change("e")])
            server.receive()

        subscription = self.serve(first, second).subscribe("Item", initial=True)
        records = lists_client.LiveRecords(subscription)
        seen = []
        for _, gone in records:
            seen.append((sorted(name for name, _ in records.records), gone, subscription.change_token))
            if len(seen) == 9:
                break
        b, c = ("b", "_defaultZone"), ("c", "_defaultZone")
        beginning = [(["a", "b", "c"], [], None), (["a", "c"], [b], None), (["a"], [c], None)]
        self.assertEqual(seen[:3], beginning)
        self.assertEqual(seen[3], (["a"], [], None))  # the reset, of the connection that was lost only
        self.assertEqual(seen[4:7], beginning)
        self.assertEqual([names for names, _, _ in seen[7:]], [["a", "d"], ["a", "d", "e"]])
        self.assertEqual([token for _, _, token in seen[4:]], [None, None, None, "9", "10"])

    def test_a_window_is_kept_up_by_its_steps_and_begins_anew_on_another_connection(self):
        def first(server):
            self.subscribed(server, sortDescriptors=[{"key": "name", "ascending": False}], resultsLimit=2)
            section = {"name": "B", "indexTitle": "B"}
            server.push("s", "1", [self.change("a", to=0), self.change("b", to=1, section=section)], initial=True)
            left = {**self.change("a", "left"), "from": 1}
            server.push("s", "2", [{**self.change("b", "updated"), "from": 1, "to": 0}, left, self.change("c", to=1)])

        def second(server):
            self.subscribed(server, since=None)
            server.push("s", "3", [self.change("d", to=0)], initial=True)
            server.push("s", "4", [{**self.change("x", "left"), "from": 0}])
            server.receive()

        rows = lists_client.LiveList(self.serve(first, second).subscribe("Item", sort="-name", limit=2))
        steps = iter(rows)
        self.assertEqual(next(steps), [(None, 0), (None, 1)])
        self.assertEqual(rows.sections, [None, {"name": "B", "indexTitle": "B"}])
        self.assertEqual(next(steps), [(1, 0), (1, None), (None, 1)])
        self.assertEqual([record["recordName"] for record in rows.records], ["b", "c"])
        self.assertIsNone(next(steps))
        self.assertEqual(rows.records, [])
        self.assertEqual(next(steps), [(None, 0)])
        with self.assertRaises(lists_client.ListMismatch):
            next(steps)

    def test_what_fires_once_ends_and_other_ends_have_their_reason(self):
        def end(server, reason):
            params = {"subscriptionID": "s", "reason": reason}
            server.send({"jsonrpc": "2.0", "method": "subscriptionEnded", "params": params})

        def script(server):
            self.subscribed(server, firesOnce=True, recordName="a")
            server.push("s", "1", [self.change("a", "updated")])
            end(server, "fired")
            self.subscribed(server, subscriptionID="s")
            server.push("s", "2", [self.change("b")])
            request = server.receive()
            assert request["method"] == "acknowledgeChanges", request
            assert request["params"] == {"subscriptionID": "s", "changeToken": "2"}, request
            server.reply(request["id"], {})
            end(server, "attachedElsewhere")
            server.receive()

        client = self.serve(script)
        self.assertEqual([change["reason"] for change in client.subscribe(record="a", once=True)], ["updated"])
        saved = client.subscribe(saved="s")
        self.assertEqual(next(saved)["recordName"], "b")
        saved.acknowledge()
        with self.assertRaises(lists_client.SubscriptionEnded) as caught:
            next(saved)
        self.assertEqual(caught.exception.reason, "attachedElsewhere")

    def test_only_a_push_whose_changes_were_all_given_out_is_acknowledged(self):
        def script(server):
            self.subscribed(server, subscriptionID="s")
            server.push("s", "1", [self.change("a")])
            server.push("s", "2", [self.change("b"), self.change("c")])
            for token in ("1", "1", "2"):
                request = server.receive()
                assert request["params"]["changeToken"] == token, request
                server.reply(request["id"], {})
            server.receive()

        saved = self.serve(script).subscribe(saved="s")
        tokens = []
        for change in saved:
            saved.acknowledge()
            tokens.append(saved.change_token)
            if change["recordName"] == "c":
                break
        self.assertEqual(tokens, ["1", "1", "2"])

    def test_fetched_changes_follow_their_pages_and_begin_anew_once(self):
        def script(server):
            request = server.receive()
            assert request["params"] == {"since": "old"}, request
            server.send({"jsonrpc": "2.0", "id": request["id"], "error": self.EXPIRED})
            for token, more in ((None, True), ("p", False)):
                request = server.receive()
                assert request["params"].get("since") == token, request
                changes = [self.change("a")] if more else []
                server.reply(
                    request["id"],
                    {"changes": changes, "changeToken": "p", "moreComing": more, "deletedZones": []})

        pages = list(self.serve(script).fetch_changes("old"))
        self.assertEqual([(page.get("reset"), len(page["changes"])) for page in pages], [(True, 1), (None, 0)])


class AddressTests(unittest.TestCase):
    def test_the_variable_comes_first_and_tmp_is_never_looked_at(self):
        self.assertEqual(lists_client.socket_path({"LISTS_SOCKET": "/x"}), "/x")
        with tempfile.TemporaryDirectory() as folder:
            if os.path.exists("/run/lists/lists.sock"):
                self.skipTest("this machine has a service of its own")
            with self.assertRaisesRegex(Unreachable, "systemctl --user"):
                lists_client.socket_path({"XDG_RUNTIME_DIR": folder})

    @unittest.skipUnless(os.getuid() == 0, "needs root")
    def test_a_runtime_folder_of_another_user_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chown(folder, 12345, 12345)
            with self.assertRaisesRegex(Unreachable, "belongs to user 12345"):
                lists_client.socket_path({"XDG_RUNTIME_DIR": folder})


@unittest.skipUnless(os.access(LISTSD, os.X_OK), f"no service to test with: {LISTSD} is not built")
class ServiceTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.process = subprocess.Popen(
            [LISTSD, "--ephemeral"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        cls.path = cls.process.stdout.readline().strip()
        if not cls.path:
            raise AssertionError("listsd --ephemeral printed no socket")

    @classmethod
    def tearDownClass(cls):
        cls.process.stdin.close()
        cls.process.wait(PATIENCE)
        cls.process.stdout.close()

    def setUp(self):
        self.client = ListsClient(self.path, container=self.id().rsplit(".", 1)[-1], timeout=PATIENCE)
        self.addCleanup(self.client.close)

    def test_a_record_is_saved_fetched_queried_and_deleted(self):
        saved = self.client.save_record("Item", {"name": "Milk", "quantity": 2}, name="milk")
        self.assertEqual(self.client.fetch_record("milk"), saved)
        self.client.save_record("Item", {"name": "Bread", "quantity": 1}, name="bread")
        found = self.client.query("Item", "quantity >= %@", [1], sort=["name"])
        self.assertEqual([record["recordName"] for record in found], ["bread", "milk"])
        self.assertEqual(self.client.count("Item", "name == 'Milk'"), 1)
        self.assertTrue(self.client.delete_record("milk"))
        self.assertFalse(self.client.delete_record("milk", ignore_missing=True))
        records = self.client.fetch_records(["bread", "milk"])
        self.assertEqual(records[0]["fields"]["name"], "Bread")
        self.assertEqual(records[1].error_code, "unknownItem")

    def open_descriptors(self):
        return len(os.listdir("/proc/self/fd"))

    def test_assets_go_and_come_as_descriptors_and_none_is_left_open(self):
        content = os.urandom(3_000_000)
        before = self.open_descriptors()
        with tempfile.TemporaryFile() as file:
            file.write(content)
            photo = self.client.save_asset(file)
        self.assertEqual(photo["$asset"]["size"], len(content))
        self.client.save_record("List", {"photo": photo}, name="home")
        for _ in range(50):
            self.assertEqual(self.client.save_asset(content), photo)
            with self.client.open_asset(photo) as file:
                self.assertEqual(file.seek(0, os.SEEK_END), len(content))
            with self.assertRaises(ServiceError):
                self.client.open_asset("0" * 64)
        self.assertEqual(self.client.fetch_asset(self.client.fetch_record("home")["fields"]["photo"]), content)
        self.assertEqual(self.open_descriptors(), before)

    def test_assets_of_pipes_and_paths_and_of_many_threads(self):
        reading, writing = os.pipe()
        with os.fdopen(reading, "rb") as pipe, os.fdopen(writing, "wb") as end:
            end.write(b"hello")
            end.close()
            self.assertEqual(self.client.save_asset(pipe)["$asset"]["size"], 5)
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"other")
            file.flush()
            saved = self.client.save_asset(file.name)
        self.assertEqual(self.client.fetch_asset(saved), b"other")
        answers = {}

        def save(number):
            content = b"%d" % number
            answers[number] = self.client.fetch_asset(self.client.save_asset(content))

        threads = [threading.Thread(target=save, args=(number,)) for number in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, {number: b"%d" % number for number in range(40)})

    def test_assets_through_something_that_passes_bytes_only(self):
        relay_end, far_end = socket.socketpair()
        service = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        service.connect(self.path)

        def relay(source, target):
            while data := source.recv(1 << 16):
                target.sendall(data)

        for pair in ((far_end, service), (service, far_end)):
            threading.Thread(target=relay, args=pair, daemon=True).start()
        content = os.urandom(5_000_000)
        with ListsClient(connection=relay_end, timeout=PATIENCE) as client:
            self.assertEqual(client.fetch_asset(client.save_asset(content)), content)
            self.assertEqual(client.fetch_asset(client.save_asset(b"")), b"")

    def seed(self):
        self.client.save_record("List", {"name": "Groceries"}, name="g")
        for name, quantity in (("Milk", 2), ("Bread", 1)):
            fields = {"name": name, "quantity": quantity, "list": lists_client.reference("g")}
            self.client.save_record("Item", fields, name=name.lower())
        self.client.save_record("Item", {"name": "Butter", "quantity": 4, "shop": lists_client.location(50.8, 4.3)})

    def test_a_page_has_its_sections_and_what_its_references_lead_to(self):
        self.seed()
        page = self.client.query_page(
            "Item", "list.name == $list", variables={"list": "Groceries"}, sort=["name"], section_by="name",
            include=["list"], limit=1, explain=True)
        self.assertEqual(page.section_index_titles, ["B", "M"])
        self.assertEqual(page.section_for_index_title("M")["offset"], 1)
        with self.assertRaisesRegex(lists_client.UnknownIndexTitle, "'Q'; there are B, M"):
            page.section_for_index_title("Q")
        bread = page.records[0]
        self.assertEqual(page.included(bread["fields"]["list"], bread)["fields"]["name"], "Groceries")
        self.assertEqual(page.plan["rowsReturned"], 1)
        rest = self.client.query_page(
            "Item", "list.name == $list", variables={"list": "Groceries"}, sort=["name"], section_by="name",
            cursor=page.cursor)
        self.assertEqual(([record["recordName"] for record in rest.records], rest.cursor), (["milk"], None))

    def test_values_figures_and_filters_of_cloudkit(self):
        self.seed()
        self.assertEqual(list(self.client.distinct("Item", "quantity", page_size=1)), [(1, 1), (2, 1), (4, 1)])
        self.assertEqual(list(self.client.distinct("Item", "quantity", limit=2)), [(1, 1), (2, 1)])
        groups = self.client.aggregate("Item", ["count", "sum:quantity"], group_by=["list.name"])
        self.assertEqual(
            [(group["group"]["list.name"], group["values"]) for group in groups],
            [(None, {"count": 1, "sum:quantity": 4}), ("Groceries", {"count": 2, "sum:quantity": 3})])
        large = {"fieldName": "quantity", "comparator": "GREATER_THAN", "fieldValue": {"value": 1}}
        self.assertEqual(self.client.count("Item", filter_by=[large]), 2)
        self.assertEqual(self.client.explain("Item", "quantity > %@", [1])["rowsExamined"], 3)

    def test_fields_and_indexes_are_declared_and_shown(self):
        self.seed()
        declared = self.client.save_record_type(
            "Item", fields={"name": {"indexes": ["queryable"]}, "tags": "list<string>"}, indexes=[["list", "name"]],
            automatic_indexes=False)
        shown = self.client.schema("Item")
        self.assertEqual([(kind["name"], kind["fields"]) for kind in shown], [("Item", declared["fields"])])
        self.assertIn({"name": "tags", "type": "list<string>", "indexes": []}, declared["fields"])
        self.assertEqual(
            sorted(index["keys"] for index in declared["indexes"]), [["list", "name"], ["name"]])
        self.assertEqual([record_type["name"] for record_type in self.client.schema()], ["Item", "List"])

    def test_fields_get_rules_and_are_changed(self):
        self.client.save_record("Item", {"qty": "1", "old": True}, name="a")
        report = self.client.save_record_type(
            "Item", rename={"qty": "quantity"}, retype={"quantity": "int64"}, drop=["old"], dry_run=True)
        self.assertEqual((report["records"], [lost["field"] for lost in report["lost"]]), (1, ["old"]))
        declared = self.client.save_record_type(
            "Item", fields={"quantity": {"min": 0}}, rename={"qty": "quantity"}, retype={"quantity": "int64"},
            drop=["old"], accept_loss=True)
        self.assertEqual(declared["fields"], [{"name": "quantity", "type": "int64", "indexes": [], "min": 0}])
        with self.assertRaises(ServiceError) as caught:
            self.client.save_record("Item", {"quantity": -1})
        self.assertEqual(caught.exception.error_code, "constraintViolation")
        self.client.delete_record("a")
        self.client.delete_record_type("Item")
        self.assertEqual(self.client.schema(), [])

    def test_a_conflict_carries_the_servers_record(self):
        saved = self.client.save_record("Item", {"n": 1}, name="a")
        self.client.save_record("Item", {"n": 2}, name="a", tag=saved["recordChangeTag"])
        with self.assertRaises(ServiceError) as caught:
            self.client.save_record("Item", {"n": 3}, name="a", tag=saved["recordChangeTag"])
        self.assertEqual(caught.exception.error_code, "serverRecordChanged")
        self.assertEqual(caught.exception.data["serverRecord"]["fields"]["n"], 2)

    def test_another_clients_changes_arrive_among_calls(self):
        changes = self.client.subscribe("Item", "g == 'x'", initial=True)
        with ListsClient(self.path, container=self.client._place["container"]) as other:
            other.save_record("Item", {"g": "x"}, name="a")
            other.save_record("Item", {"g": "y"}, name="a", policy="allKeys")
            other.save_record("Item", {"g": "x"}, name="a", policy="allKeys")
            other.delete_record("a")
        self.assertEqual(self.client.call("echo", [1]), [1])
        reasons = [changes.next_change(PATIENCE)["reason"] for _ in range(4)]
        self.assertEqual(reasons, ["created", "left", "entered", "deleted"])

    def test_large_fields_are_fetched_and_pushed(self):
        changes = self.client.subscribe("Item")
        for size in (1 << 20, 7 << 20):
            self.client.save_record("Item", {"text": "z" * size}, name="large", policy="allKeys")
            self.assertEqual(len(self.client.fetch_record("large")["fields"]["text"]), size)
            self.assertEqual(len(changes.next_change(PATIENCE)["record"]["fields"]["text"]), size)

    def test_a_request_that_is_too_large_for_the_service_fails_its_call_only(self):
        limit = self.client.server_info()["limits"]["maximumMessageBytes"]
        with self.assertRaises(ServiceError) as caught:
            self.client.call("echo", ["z" * limit])
        self.assertEqual(caught.exception.error_code, "limitExceeded")
        self.assertEqual(self.client.call("echo", [1]), [1])


if __name__ == "__main__":
    unittest.main()
